import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { jsonLines, mailStore } from "../../../test/mail-store.ts";

async function filledStore() {
  const store = mailStore();
  await store.run("put", "--to", "ann@example.org", "--subject", "A kettle", "--create");
  return store;
}

test.runIf(existsSync("/proc/self")).each(["eml", "maildir", "mailhog", "mboxrd"])(
  "a folder that cannot be created ends an export as %s",
  async (format) => {
    const store = await filledStore();
    const { code, stderr } = await store.run("export", "-o", "/proc/none/mails", "--format", format);
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 7, error: "CLI_OUTPUT_FAILED" });
  },
);

test.skipIf(process.platform === "win32")("writes an mbox to a pipe, which stays one", async () => {
  const store = await filledStore();
  const pipe = join(store.data, "..", "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  const [read, { code }] = await Promise.all([
    readFile(pipe, "utf8"),
    store.run("export", "-o", pipe, "--format", "mboxrd"),
  ]);
  expect(code).toBe(0);
  expect(read).toContain("Subject: A kettle");
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test("replaces the file behind a link and keeps the link; leaves nothing else", async () => {
  const store = await filledStore();
  const folder = join(store.data, "..", "target");
  const { code } = await store.run("export", "-o", join(folder, "mails.mbox"), "--format", "mboxrd");
  expect(code).toBe(0);
  const link = join(folder, "link");
  symlinkSync("mails.mbox", link);
  writeFileSync(join(folder, "mails.mbox"), "old");
  await store.run("export", "-o", link, "--format", "mboxrd");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(link, "utf8")).toContain("Subject: A kettle");
  expect(readdirSync(folder).sort()).toEqual(["link", "mails.mbox"]);
});

test("leaves no partial file of a message that cannot be stored under its name", async () => {
  const store = await filledStore();
  const [{ id }] = await store.list();
  const folder = join(store.data, "..", "blocked");
  await store.run("export", "-o", join(folder, `${id}.eml`));
  const { code } = await store.run("export", "-o", folder);
  expect(code).toBe(7);
  expect(readdirSync(folder)).toEqual([`${id}.eml`]);
});

test.each([
  [["--query", "subject:kettle"], ["A kettle"]],
  [["--query", "ben@example.org", "--kind", "recipient"], ["A plate"]],
  [["--query", "nothing"], []],
])("writes only the messages that match: %j", async (flags, subjects) => {
  const store = await filledStore();
  await store.run("put", "--to", "ben@example.org", "--subject", "A plate");
  const target = join(store.data, "..", "selected");
  const { code, stdout } = await store.run("export", "-o", target, ...flags);
  expect([code, jsonLines(stdout)]).toEqual([0, [{ output: target, written: subjects.length, failed: 0 }]]);
  const texts = readdirSync(target).map((name) => readFileSync(join(target, name), "utf8"));
  expect(texts).toEqual(subjects.map((subject) => expect.stringContaining(`Subject: ${subject}`)));
});

test.each(["mboxrd", "mboxo"])("writes %s to stdout without a path, and nothing else", async (format) => {
  const store = await filledStore();
  const { code, stdout, stderr } = await store.run("export", "--format", format);
  expect([code, stderr]).toEqual([0, ""]);
  const file = join(store.data, "..", "mails.mbox");
  await store.run("export", "-o", file, "--format", format);
  expect(stdout).toBe(readFileSync(file, "utf8"));
});

test.each(["eml", "maildir", "mailhog"])("needs a path for the files of %s", async (format) => {
  const store = await filledStore();
  const { code, stdout, stderr } = await store.run("export", "--format", format);
  expect([code, stdout, JSON.parse(stderr).error.code]).toEqual([2, "", "CLI_OPTION_MISSING"]);
});

/** Damages the bytes of a stored message. */
async function corrupt(data: string, subject: string): Promise<void> {
  await using port = await openEngine({ storage: { kind: "folder", path: data } });
  const { Items = [] } = await port.scan({ TableName: "mail" });
  const chunk = Items.find(({ plain }) => Buffer.from(plain?.B ?? "").includes(subject));
  await port.putItem({ TableName: "mail", Item: { ...chunk, plain: { B: Buffer.from("damaged") } } });
}

test.each(["eml", "maildir", "mailhog", "mboxrd"])(
  "an export as %s reports corrupt messages, writes the others, and fails at the end",
  async (format) => {
    const store = await filledStore();
    for (const subject of ["Broken cup", "A plate"])
      await store.run("put", "--to", "ann@example.org", "--subject", subject);
    await corrupt(store.data, "Broken cup");
    const id = (await store.list()).find(({ subject }) => subject === "Broken cup").id;
    const target = join(store.data, "..", `exported-${format}`);
    const { code, stdout, stderr } = await store.run("export", "-o", target, "--format", format);
    expect(code).toBe(9);
    expect(jsonLines(stdout)).toEqual([{ output: target, written: 2, failed: 1 }]);
    expect(stderr).toMatch(
      new RegExp(`^[^\\n]*${id}[^\\n]*\\[MAIL_MESSAGE_CORRUPT\\]\\n[^\\n]*CLI_EXPORT_INCOMPLETE[^\\n]*\\n$`),
    );
    const copy = mailStore();
    await copy.import(target);
    expect(await copy.subjects()).toEqual(["A kettle", "A plate"]);
  },
);
