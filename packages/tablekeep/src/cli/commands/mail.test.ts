import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain, startMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startServer } from "../../server/start-server.ts";

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
    await mail("delete", id, "--yes");
  });

  test("a missing message is reported in one line, with its own exit code", async () => {
    expect(await runMain(["mail", "get", "none", "--data", data])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^error: .*"none".* \[CLI_NO_MESSAGE\]\n$/),
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
    expect(lines((await mail("export", "-o", files)).stdout)).toEqual([
      { output: files, written: 2, failed: 0 },
    ]);
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
    expect(await mail("delete", id)).toMatchObject({ code: 2, stdout: "" });
    expect(lines((await mail("delete", id, "--yes")).stdout)).toEqual([{ deleted: 1 }]);
    expect(await mail("delete", "--all")).toMatchObject({ code: 2, stdout: "" });
    expect(await mail("delete")).toMatchObject({ code: 2 });
    expect(await mail("delete", id, "--all")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("CLI_OPTION_CONFLICT"),
    });
    expect(lines((await mail("delete", "--query", "hallo", "--yes")).stdout)).toEqual([{ deleted: 1 }]);
    expect(lines((await mail("delete", "--all", "--yes")).stdout)).toEqual([{ deleted: 1 }]);
    expect((await mail("list")).stdout).toBe("");
  });

  test("an id without a message is an error, and the others are deleted", async () => {
    const [{ id }] = lines((await mail("put", "--to", "ben@example.com")).stdout);
    for (const yes of [[], ["--yes"]])
      expect(await mail("delete", "none", ...yes)).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringContaining("CLI_NO_MESSAGE"),
      });
    const some = await mail("delete", "none", id, id, "--yes");
    expect([some.code, lines(some.stdout)]).toEqual([3, [{ deleted: 1 }]]);
    expect(JSON.parse(some.stderr).error).toMatchObject({ code: "CLI_NO_MESSAGE" });
    expect(some.stderr).toContain("none");
    expect(some.stderr).not.toContain(id);
    // What a condition selects may be nothing.
    expect(await mail("delete", "--query", "nosuchword", "--yes")).toMatchObject({ code: 0 });
    expect(await mail("delete", "--all", "--yes")).toMatchObject({ code: 0 });
  });

  test("a wait ends at once in a folder that no process serves", async () => {
    const [{ id }] = lines((await mail("put", "--to", "ben@example.com")).stdout);
    expect(lines((await mail("wait", "--timeout", "3600")).stdout)).toMatchObject([{ id }]);
    for (const which of [["--new"], ["--query", "nosuchword"]])
      expect(await mail("wait", ...which, "--timeout", "3600")).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/CLI_WAIT_TIMED_OUT.*no process serves the folder/),
      });
    await mail("delete", id, "--yes");
  });

  test.each([0, 100, 500])("Ctrl+C after %i ms ends a wait with its own exit code", async (ms) => {
    const server = await startServer({
      dataFolder: data,
      httpPort: 0,
      smtp: false,
      mqtt: false,
      dynamodb: false,
    });
    const waiting = startMain(["mail", "wait", "--new", "--timeout", "3600", "--data", data]);
    await new Promise((resolve) => setTimeout(resolve, ms));
    waiting.interrupt();
    expect(await waiting.result).toMatchObject({ code: 130, stdout: "" });
    await server.stop();
  });

  test("--quiet prints results, and not what was done", async () => {
    const quiet = (...argv: string[]) => runMain(["mail", ...argv, "--data", data, "-q"]);
    const put = await quiet("put", "--to", "ben@example.com", "--subject", "quiet");
    const [id = ""] = put.stdout.split(" ");
    expect((await quiet("list")).stdout).toContain("quiet");
    expect(await quiet("delete", id, "--yes")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await quiet("get", id)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("CLI_NO_MESSAGE"),
    });
    expect((await quiet("list")).stdout).toBe("");
  });

  test("works in a named inbox, which is then listed", async () => {
    const here = ["--inbox", "shop"];
    const [{ id }] = lines((await mail("put", "--to", "ben@example.com", ...here)).stdout);
    expect(lines((await mail("list", ...here)).stdout)).toMatchObject([{ id }]);
    expect((await mail("list")).stdout).toBe("");
    expect(await mail("get", id)).toMatchObject({ code: 3 });
    expect(await mail("get", id, "--raw", ...here)).toMatchObject({ code: 0 });
    expect(await mail("list", "--inbox", "No/Name")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MAIL_OPTION_INVALID"),
    });
    const server = await startServer({
      dataFolder: data,
      httpPort: 0,
      smtp: false,
      mqtt: false,
      dynamodb: false,
    });
    const answer = await fetch(new URL("/api/v3/inboxes?counts=true", server.listeners[0]?.url));
    expect(await answer.json()).toMatchObject({ inboxes: [{ name: "shop", messages: 1 }] });
    await server.stop();
    expect(lines((await mail("delete", "--all", "--yes", ...here)).stdout)).toEqual([{ deleted: 1 }]);
  });

  test("works while the folder is served: watch prints what others store, import, mark and delete", async () => {
    const server = await startServer({
      dataFolder: data,
      httpPort: 0,
      smtp: false,
      mqtt: false,
      dynamodb: false,
    });
    const api = new URL("/api/v3/mail/messages", server.listeners[0]?.url);
    const watching = startMain(["mail", "watch", "--data", data, "--json", "--from", "start"]);
    const plain = startMain([
      "mail",
      "watch",
      "--data",
      data,
      "--from",
      "start",
      "--query",
      "subject:served",
    ]);
    const [{ id }] = lines((await mail("put", "--to", "ben@example.com", "--subject", "served")).stdout);
    expect(lines((await mail("list")).stdout)).toMatchObject([{ subject: "served" }]);
    const seen = () =>
      lines(watching.stdout()).map(({ kind, message, messages, ids }) => [
        kind,
        message?.subject ?? messages?.[0]?.read ?? ids,
      ]);
    await expect.poll(seen).toEqual([["stored", "served"]]);
    await expect.poll(plain.stdout).toContain("served");
    mkdirSync(files, { recursive: true });
    const file = join(files, "elsewhere.eml");
    writeFileSync(file, "Subject: elsewhere\r\nDate: Tue, 02 Jan 2024 03:04:05 +0000\r\n\r\nx\r\n");
    const [imported] = lines((await mail("import", file)).stdout);
    expect(imported).toMatchObject({ created: "2024-01-02T03:04:05.000Z", imported: true });
    await expect.poll(() => seen().at(-1)).toEqual(["stored", "elsewhere"]);
    await fetch(`${api}/${id}/marks`, { method: "PUT", body: '{"read":true,"addTags":["x"]}' });
    await expect.poll(() => seen().at(-1)).toEqual(["marked", true]);
    await expect.poll(plain.stdout).toContain(`${id}  read  #x`);
    await fetch(`${api}/${imported.id}`, { method: "DELETE" });
    await fetch(`${api}/${id}`, { method: "DELETE" });
    const all = [
      ["stored", "served"],
      ["stored", "elsewhere"],
      ["marked", true],
      ["deleted", [imported.id]],
      ["deleted", [id]],
    ];
    await expect.poll(seen).toEqual(all);
    await expect.poll(plain.stdout).toContain(`${id}  deleted`);
    expect(plain.stdout().split("\n").slice(1)).toEqual([`${id}  read  #x`, `${id}  deleted`, ""]);
    const [first] = lines(watching.stdout());
    const after = startMain(["mail", "watch", "--data", data, "--json", "--from", first.message.cursor]);
    // What is gone is not reported as stored, and has no marks.
    await expect.poll(() => lines(after.stdout()).length).toBeGreaterThanOrEqual(2);
    for (const run of [watching, plain, after]) run.interrupt();
    for (const run of [watching, plain, after])
      expect(await run.result).toMatchObject({ code: 0, stderr: "" });
    expect(await mail("watch", "--from", "nothing")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MAIL_CURSOR_INVALID"),
    });
    await server.stop();
  });
});
