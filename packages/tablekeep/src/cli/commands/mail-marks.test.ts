import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { type Mail, type MailMarks, openMail } from "@tablekeep/mail";
import { expect, test } from "vitest";
import { fillFolder, jsonLines, mailStore } from "../../../test/mail-store.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const entry = (subject: string, ...fields: string[]) =>
  [
    "From ann@example.org Mon Jan  1 00:00:07 2024",
    "To: ben@example.org",
    `Subject: ${subject}`,
    ...fields,
    "",
    "text",
    "",
    "",
  ].join("\n");

async function withMail<Result>(data: string, use: (mail: Mail) => Promise<Result>): Promise<Result> {
  await using port = await openEngine({ storage: { kind: "folder", path: data } });
  const mail = await openMail(port);
  try {
    return await use(mail);
  } finally {
    await mail.close();
  }
}

/** Marks messages by their subjects. */
const mark = (data: string, marks: Readonly<Record<string, MailMarks>>) =>
  withMail(data, async (mail) => {
    for (const { id, subject } of (await mail.list()).items)
      if (marks[subject] !== undefined) await mail.mark([id], marks[subject]);
  });

/** Read state, tags and bytes of all messages, by subject. */
const storedIn = (data: string) =>
  withMail(data, async (mail) => {
    const { items } = await mail.list();
    const all: Record<string, unknown> = {};
    for await (const { subject, read, tags, raw } of mail.loadEach(items))
      all[subject] = { read, tags, raw: Buffer.from(raw).toString("latin1") };
    return all;
  });

const importInto = async (target: ReturnType<typeof mailStore>, ...paths: string[]) =>
  jsonLines((await target.import(...paths)).stdout).at(-1);

/** A store with messages in every state. Some have header fields like those that hold marks in a file. */
async function markedStore() {
  const source = mailStore();
  const own = ["Status: RO", "X-Keywords: own"];
  const entries = [
    entry("plain"),
    entry("read"),
    entry("tagged"),
    entry("own fields", ...own),
    entry("untagged", "X-Tags: first, second"),
    entry("retagged", "X-Tags: first, second"),
  ];
  await source.import(fillFolder(tempFolder(), { "a.mbox": entries.join("") }));
  const files = fillFolder(tempFolder(), {
    // The fields are in the very first lines.
    "first.eml": `${own.join("\r\n")}\r\nSubject: own fields first\r\n\r\n`,
    "empty.eml": "\r\nno header\r\n",
  });
  await source.import(files);
  await mark(source.data, {
    read: { read: true },
    tagged: { tags: ["a", "two words", 'ümläut %20 (x) \\ "y" *'] },
    "own fields": { read: false },
    untagged: { tags: [], read: true },
    retagged: { tags: ["second", "third"] },
    "own fields first": { tags: ["kept"] },
  });
  return source;
}

const formats = ["eml", "maildir", "mailhog", "mboxrd", "mboxo"];

test.each(formats)("an export as %s keeps read state, tags and bytes", async (format) => {
  const [source, target] = [await markedStore(), mailStore()];
  const output = join(tempFolder(), "out");
  await source.run("export", "-o", output, "--format", format);
  for (const imported of [8, 0])
    expect(await importInto(target, output)).toEqual({ imported, present: 8 - imported, failed: 0 });
  const stored = await storedIn(source.data);
  expect(stored["untagged"]).toMatchObject({ read: true, tags: [] });
  expect(await storedIn(target.data)).toEqual(stored);
});

test.each(formats)("an export as %s over another has the marks of the last one", async (format) => {
  const [source, target] = [await markedStore(), mailStore()];
  const output = join(tempFolder(), "out");
  await source.run("export", "-o", output, "--format", format);
  await mark(source.data, {
    plain: { read: true, tags: ["new"] },
    read: { read: false },
    tagged: { tags: [] },
  });
  await source.run("export", "-o", output, "--format", format);
  expect(await importInto(target, output)).toEqual({ imported: 8, present: 0, failed: 0 });
  expect(await storedIn(target.data)).toEqual(await storedIn(source.data));
});

test("an import leaves the marks of messages that are stored already", async () => {
  const [source, target] = [await markedStore(), mailStore()];
  const output = join(tempFolder(), "out");
  await source.run("export", "-o", output);
  await importInto(target, output);
  await mark(target.data, { read: { read: false }, plain: { tags: ["later"] } });
  const before = await storedIn(target.data);
  expect(await importInto(target, output)).toEqual({ imported: 0, present: 8, failed: 0 });
  expect(await storedIn(target.data)).toEqual(before);
});

test("read messages of a Maildir are in cur with the flag S, and flags of other programs stay", async () => {
  const source = mailStore();
  await source.import(fillFolder(tempFolder(), { "a.mbox": entry("read") + entry("unread") }));
  await mark(source.data, { read: { read: true } });
  const output = join(tempFolder(), "out");
  const files = async () => {
    await source.run("export", "-o", output, "--format", "maildir");
    return ["new", "cur"].map((part) =>
      readdirSync(join(output, part)).map((name) => ({
        flags: /:2,\w*$/.exec(name)?.[0] ?? "",
        subject: /^Subject: (.*)\r$/m.exec(readFileSync(join(output, part, name), "latin1"))?.[1],
      })),
    );
  };
  expect(await files()).toEqual([[{ flags: "", subject: "unread" }], [{ flags: ":2,S", subject: "read" }]]);
  // A mail program shows the other one, replies to it, and adds its size.
  const [name = ""] = readdirSync(join(output, "new"));
  renameSync(join(output, "new", name), join(output, "cur", `${name},S=71:2,FRSa`));
  expect((await files()).flat().toSorted((one, other) => (one.flags < other.flags ? -1 : 1))).toEqual([
    { flags: ":2,FRa", subject: "unread" },
    { flags: ":2,S", subject: "read" },
  ]);
  const target = mailStore();
  expect(await importInto(target, output)).toEqual({ imported: 2, present: 0, failed: 0 });
  expect(await storedIn(target.data)).toEqual(await storedIn(source.data));
});

test("the read state that mail programs write is imported, and the bytes stay", async () => {
  const target = mailStore();
  const folder = fillFolder(tempFolder(), {
    "mutt.mbox":
      entry("seen", "Status: RO") + entry("old", "Status: O") + entry("no state", "Status: Shipped"),
    "maildir/new/1700000001.M1P1.host": "Subject: new\r\n\r\n",
    "maildir/cur/1700000002.M1P1.host:2,FS": "Subject: shown\r\n\r\n",
    "maildir/cur/1700000003.M1P1.host:2,": "Subject: not shown\r\n\r\n",
  });
  await importInto(target, folder);
  expect(await storedIn(target.data)).toMatchObject({
    seen: { read: true, raw: expect.stringContaining("\r\nStatus: RO\r\n") },
    old: { read: false },
    "no state": { read: false },
    new: { read: false },
    shown: { read: true },
    "not shown": { read: false },
  });
});

test("a line of marks that is incomplete, or that has none, is skipped", async () => {
  const [source, target] = [await markedStore(), mailStore()];
  const output = join(tempFolder(), "out");
  await source.run("export", "-o", output);
  const path = join(output, "marks.jsonl");
  writeFileSync(path, `null\n[]\n{"id":7}\n${readFileSync(path, "utf8")}{"id":"0`);
  await source.run("export", "-o", output, "--query", "subject:plain");
  await importInto(target, output);
  expect(await storedIn(target.data)).toEqual(await storedIn(source.data));
});
