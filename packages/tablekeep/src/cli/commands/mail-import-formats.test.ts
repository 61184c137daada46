import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fillFolder, jsonLines, mailStore } from "../../../test/mail-store.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

describe("mail import", () => {
  test("of the same messages in another format stores nothing twice", async () => {
    const head = "From: ann@example.org\nTo: ben@example.org\n";
    const bodies = [
      "plain\n",
      "no line end",
      "three line ends\n\n\n",
      "\nFrom here\n>From there\n>>From everywhere\n",
      "From the first line\n",
      "two lines\r\nwith CR LF\r\n",
      "one with CR LF\r\none without\n",
      "a lone \r in a line\n",
      "",
    ];
    const messages = bodies.map((body, at) => `${head}Subject: ${at}\n\n${body}`);
    const maildir = Object.fromEntries(
      messages.map((text, at) => [`cur/17000000${at}0.${at}.host:2,S`, text]),
    );
    maildir["new/none"] = "";
    const quoted = (text: string, pattern: RegExp) =>
      `From ann@example.org Tue Nov 14 22:13:20 2023\n${text.replaceAll("\r\n", "\n").replace(pattern, ">$&")}\n\n`;
    // Python's mailbox quotes as mboxo, Thunderbird as mboxrd, and some programs do not quote.
    const folder = fillFolder(tempFolder(), {
      ...Object.fromEntries(Object.entries(maildir).map(([name, text]) => [`maildir/${name}`, text])),
      "mboxo.mbox": messages.map((text) => quoted(text, /^From /gm)).join(""),
      "mboxrd.mbox": messages.map((text) => quoted(text, /^>*From /gm)).join(""),
      ...Object.fromEntries(messages.map((text, at) => [`eml/${at}.eml`, text.replaceAll(/\r?\n/g, "\r\n")])),
    });
    const sources = ["maildir", "mboxo.mbox", "mboxrd.mbox", "eml"].map((name) => join(folder, name));
    for (const order of [sources, sources.toReversed()]) {
      const { import: load, list } = mailStore();
      for (const [at, path] of order.entries())
        expect(jsonLines((await load(path)).stdout).at(-1), path).toEqual({
          imported: at === 0 ? messages.length : 0,
          present: at === 0 ? 0 : messages.length,
          failed: 0,
        });
      expect(await list()).toHaveLength(messages.length);
      const together = mailStore();
      await together.import(...order);
      expect(await together.list()).toHaveLength(messages.length);
    }
  });

  test.each(["\n", "\r\n"])(
    "of an mbox file without quotes keeps paragraphs that begin with From (%j)",
    async (end) => {
      const texts = [
        ["Subject: 0", "", "From the start", "on", "", "From inside", "", "From here", ""],
        ["Subject: 1", "", "x", "", "From the end"],
      ];
      const mbox = [
        "From - Tue Nov 14 22:13:20 2023",
        ...(texts[0] ?? []),
        // Some programs write no time.
        "From nobody",
        ...(texts[1] ?? []),
      ].join(end);
      const folder = fillFolder(tempFolder(), { "a.mbox": mbox });
      const { import: load, list, run } = mailStore();
      await load(join(folder, "a.mbox"));
      const found = await list();
      expect(found).toHaveLength(2);
      for (const { id, subject } of found) {
        const { stdout } = await run("get", id, "--raw");
        const lines = (texts[Number(subject)] ?? []).join("\r\n").trimEnd();
        expect(stdout).toBe(`${lines}\r\n`);
      }
    },
  );

  test("of an mbox file adds no CR to lines that end with CR LF in a file of LF", async () => {
    const texts = [
      "Subject: 0\r\n\r\nboth\r\n\r\nlines\r\n",
      "Subject: 1\n\nonly the body\r\n\r\nFrom here\r\n",
      "Subject: 2\r\n\r\nonly the header\nand this\n",
      "Subject: 3\r\n\r\nno line end",
      "Subject: 4\n\na line\r\nanother\r\nand one without\n",
    ];
    // As Python's mailbox writes them.
    const mbox = texts.map((text) => {
      const ended = text.endsWith("\n") ? text : `${text}\n`;
      return `From x Tue Nov 14 22:13:20 2023\n${ended.replace(/^From /gm, ">From ")}\n`;
    });
    const folder = fillFolder(tempFolder(), {
      "a.mbox": mbox.join(""),
      ...Object.fromEntries(texts.map((text, at) => [`maildir/cur/1700000000.${at}.host:2,S`, text])),
    });
    const { import: load, list, run } = mailStore();
    await load(join(folder, "a.mbox"));
    for (const { id, subject } of await list()) {
      const raw = (texts[Number(subject)] ?? "").replaceAll(/\r?\n/g, "\r\n");
      expect((await run("get", id, "--raw")).stdout).toBe(raw.endsWith("\n") ? raw : `${raw}\r\n`);
    }
    expect(jsonLines((await load(join(folder, "maildir"))).stdout).at(-1)).toEqual({
      imported: 0,
      present: texts.length,
      failed: 0,
    });
  });

  test("keeps copies in an mbox file, and files that differ in their line ends", async () => {
    const copy = "From x\nSubject: copy\n\ntext\n\n";
    const folder = fillFolder(tempFolder(), {
      "one.mbox": copy,
      "three.mbox": copy.repeat(3),
      "files/a.eml": "Subject: files\n\ntext\n",
      "files/b.eml": "Subject: files\r\n\r\ntext\r\n",
    });
    const { import: load, subjects } = mailStore();
    for (const imported of [5, 0])
      expect(jsonLines((await load(folder)).stdout).at(-1)).toEqual({
        imported,
        present: 6 - imported,
        failed: 0,
      });
    expect(await subjects()).toEqual(["copy", "copy", "copy", "files", "files"]);
  });
});
