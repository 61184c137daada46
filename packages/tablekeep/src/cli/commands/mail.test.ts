import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();
const other = tempFolder();
const files = tempFolder();

async function mail(...argv: string[]) {
  const [verb = "", ...rest] = argv;
  const create = ["put", "import"].includes(verb) ? ["--create"] : [];
  return runMain(["mail", verb, "--data", data, "--json", ...rest, ...create]);
}

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("tablekeep mail", () => {
  test("a sent message can be listed, found, waited for and shown", async () => {
    const sent = await mail(
      "put",
      "--to",
      "ben@example.com",
      "--to",
      "carl@example.com",
      "--subject",
      "Grüße",
      "--text",
      "Hallo Ben",
    );
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    const [{ id }] = lines(sent.stdout);
    await mail("put", "--to", "dora@example.com");
    expect(lines((await mail("list")).stdout)).toHaveLength(2);
    expect(lines((await mail("list", "--limit", "1")).stdout)).toHaveLength(1);
    expect(lines((await mail("list", "--query", "hallo")).stdout)).toMatchObject([{ id, subject: "Grüße" }]);
    expect(lines((await mail("list", "--query", "to:carl -subject:other")).stdout)).toMatchObject([{ id }]);
    expect(await mail("list", "--query", "before:yesterday")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MAIL_QUERY_INVALID"),
    });
    expect(
      lines((await mail("list", "--query", "carl@example.com", "--kind", "recipient")).stdout),
    ).toMatchObject([{ id }]);
    expect(lines((await mail("wait", "--query", "hallo")).stdout)).toMatchObject([{ id }]);
    expect(lines((await mail("get", id)).stdout)).toMatchObject([{ id, text: "Hallo Ben\n" }]);
    const shown = await runMain(["mail", "get", id, "--data", data]);
    expect(shown.stdout).toMatch(/Subject: {2}Grüße[\s\S]*\n\nHallo Ben\n/);
    const raw = await runMain(["mail", "get", id, "--raw", "--data", data]);
    expect(raw.stdout).toContain("\r\n\r\nHallo Ben\r\n");
  });

  test("a message is checked, by id or in a file", async () => {
    const [{ id }] = lines((await mail("put", "--to", "erin@example.com", "--text", "{{ name }}")).stdout);
    const stored = await mail("lint", id);
    expect([stored.code, lines(stored.stdout)]).toMatchObject([
      9,
      [{ source: id, rule: "template-rest", severity: "error" }, { summary: { messages: 1, error: 1 } }],
    ]);
    expect(stored.stderr).toContain("CLI_MAIL_FINDINGS");
    expect(await mail("lint", id, "--ignore", "template-rest")).toMatchObject({ code: 0 });
    const folder = tempFolder();
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "one.eml");
    writeFileSync(file, "Subject: x\r\n\r\nx\r\n");
    const text = await runMain(["mail", "lint", file]);
    expect(text).toMatchObject({ code: 9, stdout: expect.stringMatching(/^error {3}header-date {8}.*\n/) });
    expect(await mail("lint", join(file, "none.eml"))).toMatchObject({ code: 3 });
    expect(await mail("lint", "none")).toMatchObject({ code: 3 });
    const zone = join(folder, "zone");
    writeFileSync(zone, 'example.com. TXT "v=spf1 -all"\n_dmarc.example.com. TXT "v=DMARC1; p=none"\n');
    const checked = await mail("lint", id, "--zone", zone, "--ip", "192.0.2.1");
    expect(lines(checked.stdout).map(({ rule }) => rule)).toEqual(expect.arrayContaining(["spf", "dmarc"]));
    expect(await mail("lint", id, "--zone", join(folder, "none"))).toMatchObject({ code: 3 });
    expect(await mail("lint", id, "--helo", "x")).toMatchObject({ code: 2 });
    expect(await mail("lint", id, "--client", "netscape")).toMatchObject({ code: 2 });
    await mail("delete", id);
  });

  test("a missing message is reported in one line, with its own exit code", async () => {
    expect(await runMain(["mail", "get", "none", "--data", data])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*"none" \[CLI_NO_MESSAGE\]\n$/),
    });
    expect(await mail("wait", "--query", "never", "--timeout", "0.01")).toMatchObject({ code: 3 });
    expect(await mail("put", "--to", "a\nb@example.com")).toMatchObject({ code: 2 });
    expect(await mail("import", "/no/such/file")).toMatchObject({ code: 3 });
  });

  test("a message needs a recipient, and each is one bare address", async () => {
    const before = lines((await mail("list")).stdout).length;
    expect(await mail("put", "--subject", "to nobody")).toMatchObject({ code: 2, stdout: "" });
    for (const to of ["", "a b@example.com", "a@example.com, b@example.com", "Ann <ann@example.com>"])
      expect(await mail("put", "--to", to)).toMatchObject({ code: 2, stdout: "" });
    expect(lines((await mail("list")).stdout)).toHaveLength(before);
  });

  test("exports messages to files and imports them again, byte for byte", async () => {
    expect(lines((await mail("export", "-o", files)).stdout)).toEqual([{ output: files, written: 2 }]);
    const names = readdirSync(files);
    expect(names).toHaveLength(2);
    mkdirSync(other, { recursive: true });
    const odd = join(files, "odd.eml");
    writeFileSync(odd, Buffer.from("From: x@example.com\r\nTo: y@example.com\r\n\r\n\xff\xfe\r\n", "latin1"));
    const back = await runMain(["mail", "import", files, "--data", other, "--json", "--create"]);
    const summaries = lines(back.stdout).filter(({ id }) => id !== undefined);
    expect(summaries.map(({ subject }) => subject).sort()).toEqual(["", "A message from tablekeep", "Grüße"]);
    const { id } = summaries.find(({ subject }) => subject === "");
    const [copy] = lines(
      (await runMain(["mail", "export", "-o", join(files, "again"), "--data", other, "--json"])).stdout,
    );
    expect(copy).toMatchObject({ written: 3 });
    expect(readFileSync(join(files, "again", `${id}.eml`))).toEqual(readFileSync(odd));
  });

  test("deletes by id, by search or everything, after a confirmation", async () => {
    const [{ id }] = lines((await mail("put", "--to", "ben@example.com")).stdout);
    expect(lines((await mail("delete", id)).stdout)).toEqual([{ deleted: 1 }]);
    expect(await mail("delete", "--all")).toMatchObject({ code: 2, stdout: "" });
    expect(await mail("delete")).toMatchObject({ code: 2 });
    expect(lines((await mail("delete", "--query", "hallo", "--yes")).stdout)).toEqual([{ deleted: 1 }]);
    expect(lines((await mail("delete", "--all", "--yes")).stdout)).toEqual([{ deleted: 1 }]);
    expect((await mail("list")).stdout).toBe("");
  });

  test("--quiet prints results, and not what was done", async () => {
    const quiet = (...argv: string[]) => runMain(["mail", ...argv, "--data", data, "-q"]);
    const put = await quiet("put", "--to", "ben@example.com", "--subject", "quiet");
    const [id = ""] = put.stdout.split(" ");
    expect((await quiet("list")).stdout).toContain("quiet");
    expect(await quiet("delete", id)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await quiet("get", id)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("CLI_NO_MESSAGE"),
    });
    expect((await quiet("list")).stdout).toBe("");
  });

  test("works while the folder is served", async () => {
    const ports = ["--http-port", "0", "--dynamodb-port", "0", "--smtp-port", "0", "--mqtt-port", "0"];
    const server = startMain(["serve", ...ports, "--data", data]);
    await expect.poll(server.stdout).toContain("Ctrl+C");
    expect(await mail("put", "--to", "ben@example.com", "--subject", "served")).toMatchObject({ code: 0 });
    expect(lines((await mail("list")).stdout)).toMatchObject([{ subject: "served" }]);
    server.interrupt();
    await server.result;
  });
});
