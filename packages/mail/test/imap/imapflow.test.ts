/** A client that others wrote: imapflow. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { describe, expect, onTestFinished, test } from "vitest";
import { startImap, storeAll } from "./start-imap.ts";

async function client(port: number, auth = { user: "any", pass: "any" }): Promise<ImapFlow> {
  const imap = new ImapFlow({ host: "127.0.0.1", port, secure: false, auth, logger: false });
  await imap.connect();
  onTestFinished(() => imap.close());
  return imap;
}

async function composed(): Promise<Buffer> {
  const writer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await writer.sendMail({
    from: "Ännchen <ann@example.org>",
    to: ["Ben <ben@example.org>", "carla@example.org"],
    subject: "Grüße",
    text: "Hallo Ben",
    html: "<p>Hallo <b>Ben</b></p>",
    attachments: [{ filename: "bytes.bin", content: Buffer.from([0, 1, 255, 13, 10]) }],
  });
  return message as Buffer;
}

describe("imapflow", () => {
  test("reads an attached message with headers in UTF-8, and its parts", async () => {
    const { port, mail } = await startImap();
    const lines = [
      "Subject: outer",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: message/global",
      "Content-Disposition: attachment; filename=inner.eml",
      "",
      "From: Jörg <jörg@example.org>",
      "Subject: Grüße",
      "Content-Type: multipart/alternative; boundary=i",
      "",
      "--i",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "Hallo Jörg",
      "--i",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<p>Hallo</p>",
      "--i--",
      "--b--",
      "",
    ];
    await storeAll(mail, [Buffer.from(lines.join("\r\n"))]);
    const imap = await client(port);
    await imap.mailboxOpen("INBOX");
    const found = await imap.fetchOne("1", { bodyStructure: true, bodyParts: ["1.HEADER", "1.1"] });
    if (found === false || found === undefined) throw new Error("not found");
    // As in IMAP4rev1: a part without an envelope, followed by its disposition.
    expect(found.bodyStructure?.childNodes?.[0]).toMatchObject({
      part: "1",
      type: "message/global",
      disposition: "attachment",
      dispositionParameters: { filename: "inner.eml" },
    });
    expect(found.bodyParts?.get("1.header")?.toString()).toContain("Subject: Grüße\r\n");
    expect(found.bodyParts?.get("1.1")?.toString()).toBe("Hallo Jörg");
  });

  test("lists the mailbox, reads envelopes and structures, and downloads parts", async () => {
    const { port, mail } = await startImap();
    const raw = await composed();
    await storeAll(mail, ["Subject: plain\r\n\r\nbody\r\n", raw]);
    const imap = await client(port);
    expect((await imap.list()).map(({ path }) => path)).toEqual(["INBOX"]);
    const box = await imap.mailboxOpen("INBOX");
    expect(box).toMatchObject({ exists: 2, readOnly: true, uidNext: 3 });
    expect(await imap.status("INBOX", { messages: true, uidNext: true, unseen: true })).toMatchObject({
      messages: 2,
      uidNext: 3,
      unseen: 2,
    });
    const found = await imap.fetchOne("2", {
      uid: true,
      envelope: true,
      bodyStructure: true,
      size: true,
      internalDate: true,
      source: true,
      headers: ["subject"],
    });
    if (found === false || found === undefined) throw new Error("not found");
    expect(found).toMatchObject({
      uid: 2,
      size: raw.length,
      envelope: {
        subject: "Grüße",
        from: [{ name: "Ännchen", address: "ann@example.org" }],
        to: [
          { name: "Ben", address: "ben@example.org" },
          { name: "", address: "carla@example.org" },
        ],
      },
      bodyStructure: {
        type: "multipart/mixed",
        childNodes: [
          {
            type: "multipart/alternative",
            childNodes: [
              { part: "1.1", type: "text/plain" },
              { part: "1.2", type: "text/html" },
            ],
          },
          { part: "2", disposition: "attachment", dispositionParameters: { filename: "bytes.bin" } },
        ],
      },
    });
    expect(found.source).toEqual(raw);
    expect(found.headers?.toString()).toMatch(/^Subject: =\?UTF-8\?.*\r\n\r\n$/);
    const [newest] = (await mail.list()).items;
    expect(Number(found.internalDate)).toBe(Math.floor((newest?.created ?? 0) / 1000) * 1000);
    const { content } = await imap.download("2", "2");
    expect(await buffer(content ?? Readable.from([]))).toEqual(Buffer.from([0, 1, 255, 13, 10]));
    const text = await imap.download("2", "1.1");
    expect((await buffer(text.content ?? Readable.from([]))).toString().trim()).toBe("Hallo Ben");
    await imap.logout();
  });

  test("searches", async () => {
    const { port, mail } = await startImap();
    await storeAll(mail, [
      "From: shop@example.org\r\nSubject: Order 17\r\nX-Kind: a\r\n\r\nYour tea\r\n",
      "From: news@example.org\r\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\r\nDate: Fri, 2 Jan 2026 03:04:05 +0000\r\n\r\norder nothing\r\n",
      "From: shop@example.org\r\nSubject: Invoice\r\n\r\nOrder 17\r\n",
    ]);
    const imap = await client(port);
    await imap.mailboxOpen("INBOX");
    const found = (query: object) => imap.search(query, { uid: true });
    expect(await found({ all: true })).toEqual([1, 2, 3]);
    expect(await found({ subject: "order" })).toEqual([1]);
    expect(await found({ subject: "grüße" })).toEqual([2]);
    expect(await found({ body: "ORDER" })).toEqual([2, 3]);
    expect(await found({ text: "order" })).toEqual([1, 2, 3]);
    expect(await found({ from: "shop", not: { subject: "invoice" } })).toEqual([1]);
    expect(await found({ or: [{ subject: "invoice" }, { header: { "x-kind": "a" } }] })).toEqual([1, 3]);
    expect(await found({ sentOn: new Date("2026-01-02") })).toEqual([2]);
    expect(await found({ uid: "2:*" })).toEqual([2, 3]);
    expect(await found({ since: new Date(Date.now() - 86_400_000), unseen: true })).toEqual([1, 2, 3]);
    expect(await found({ seen: true })).toEqual([]);
    expect(await found({ larger: 100_000 })).toEqual([]);
  });

  test("receives new and deleted messages while it is idle", async () => {
    const { port, mail } = await startImap();
    const [first = ""] = await storeAll(mail, ["Subject: one\r\n\r\n", "Subject: two\r\n\r\n"]);
    const imap = await client(port);
    await imap.mailboxOpen("INBOX");
    const events: unknown[] = [];
    imap.on("exists", ({ count }) => events.push({ count }));
    imap.on("expunge", ({ seq }) => events.push({ seq }));
    const idling = imap.idle();
    await storeAll(mail, ["Subject: three\r\n\r\n"]);
    await expect.poll(() => events).toEqual([{ count: 3 }]);
    await mail.deleteOne(first);
    await expect.poll(() => events).toEqual([{ count: 3 }, { seq: 1 }]);
    await imap.noop();
    await idling;
    const uids = [];
    for await (const { uid } of imap.fetch("1:*", { uid: true })) uids.push(uid);
    expect(uids).toEqual([2, 3]);
    await imap.logout();
  });

  test("shows read messages as seen and tags as keywords, and follows their changes", async () => {
    const { port, mail } = await startImap();
    const [first = "", second = "", third = ""] = await storeAll(mail, [
      "Subject: one\r\nX-Tags: shop, to check\r\n\r\n",
      "Subject: two\r\n\r\n",
      "Subject: three\r\n\r\n",
    ]);
    await mail.mark([first], { read: true });
    const imap = await client(port);
    const box = await imap.mailboxOpen("INBOX");
    expect([...box.flags]).toEqual(expect.arrayContaining(["\\Seen", "shop", "to_check"]));
    const flags = async () => {
      const found: string[][] = [];
      for await (const message of imap.fetch("1:*", { flags: true })) found.push([...(message.flags ?? [])]);
      return found;
    };
    const unseen = async () => {
      const status = await imap.status("INBOX", { unseen: true });
      return status ? status.unseen : undefined;
    };
    const found = (query: object) => imap.search(query);
    expect(await flags()).toEqual([["\\Seen", "shop", "to_check"], [], []]);
    expect(await unseen()).toBe(2);
    expect(await found({ seen: true })).toEqual([1]);
    expect(await found({ seen: false })).toEqual([2, 3]);
    expect(await found({ keyword: "SHOP" })).toEqual([1]);
    expect(await found({ unKeyword: "to_check" })).toEqual([2, 3]);

    const events: unknown[] = [];
    imap.on("flags", ({ seq, flags: now }) => events.push([seq, ...now]));
    const idling = imap.idle();
    await mail.mark([second], { read: true, addTags: ["größer (%)"] });
    await expect.poll(() => events).toEqual([[2, "\\Seen", "gr__er____"]]);
    // Another client's fetch of the whole message marks nothing.
    await imap.noop();
    await idling;
    await imap.fetchOne("3", { source: true });
    await mail.mark([first], { read: false, tags: [] });
    await expect.poll(flags).toEqual([[], ["\\Seen", "gr__er____"], []]);
    expect(await unseen()).toBe(2);
    expect((await mail.load(third))?.read).toBe(false);
    await imap.logout();
  });

  test("rejects a copy of a sent message of any size, and continues", async () => {
    const { port } = await startImap();
    const imap = await client(port);
    for (const bytes of [100, 10_000, 300_000])
      await expect(imap.append("INBOX", `Subject: x\r\n\r\n${"x".repeat(bytes)}`)).rejects.toThrow();
    expect((await imap.mailboxOpen("INBOX")).exists).toBe(0);
    await imap.logout();
  });

  test("needs the right password where there are users", async () => {
    const checkPassword = async (user: string, password: string) => user === "anna" && password === "right";
    const { port } = await startImap({ checkPassword });
    await expect(client(port, { user: "anna", pass: "wrong" })).rejects.toThrow();
    const imap = await client(port, { user: "anna", pass: "right" });
    expect((await imap.mailboxOpen("INBOX")).exists).toBe(0);
    await imap.logout();
  });
});
