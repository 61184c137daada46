import assert from "node:assert/strict";
import type { Envelope } from "../model/message.ts";
import { envelope, letter, type MailCase, rejectsWith, subjectsOf } from "./mail-case.ts";

/** Storing and loading. */
export const storeCases: readonly MailCase[] = [
  {
    name: "returns a message byte for byte, with its envelope",
    async run({ mail }) {
      const raw = Buffer.from("Subject: caf\xe9\r\n\r\n\x00\x01\xff no line end", "latin1");
      const sent = { from: "", to: ["a@x.org", "a@x.org", "postmaster"], helo: "h" };
      const stored = await mail.store(sent, raw);
      const loaded = await mail.load(stored.id);
      assert.deepEqual(Buffer.from(loaded?.raw ?? []), raw);
      assert.deepEqual({ ...loaded?.envelope }, sent);
      assert.equal(loaded?.size, raw.length);
      assert.equal(loaded?.id, stored.id);
    },
  },
  {
    name: "stores a message without bytes",
    async run({ mail }) {
      const { id } = await mail.store(envelope, new Uint8Array());
      assert.equal((await mail.load(id))?.raw.length, 0);
      assert.equal(await mail.count(), 1);
    },
  },
  {
    name: "a message written in pieces equals one written at once",
    async run({ mail }) {
      const raw = letter("pieces", "x".repeat(1000));
      const incoming = mail.receive(envelope);
      for (let at = 0; at < raw.length; at += 7) await incoming.write(raw.subarray(at, at + 7));
      const stored = await incoming.finish();
      assert.equal(incoming.id, stored.id);
      assert.deepEqual(Buffer.from((await mail.load(stored.id))?.raw ?? []), raw);
    },
  },
  {
    name: "returns a message of several MB byte for byte",
    needs: "largeMessages",
    async run({ mail }) {
      const raw = Buffer.alloc(3_000_001, "0123456789abcdef\r\n");
      for (let at = 0; at < raw.length; at += 1009) raw[at] = at % 251;
      const { id } = await mail.store(envelope, raw);
      assert.ok(Buffer.compare(raw, (await mail.load(id))?.raw ?? new Uint8Array()) === 0);
    },
  },
  {
    name: "returns a base64 attachment byte for byte, and finds it by the text around it",
    needs: "largeMessages",
    async run({ mail }) {
      const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, at) => Math.imul(at, at + 7919) >>> 7));
      const lines = bytes.toString("base64").replaceAll(/.{76}/g, "$&\r\n");
      const head =
        'Subject: report\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nSee the annex.\r\n';
      const type = "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n";
      const raw = Buffer.from(`${head}--b\r\n${type}\r\n${lines}\r\n--b--\r\n`);
      const { id } = await mail.store(envelope, raw);
      assert.ok(Buffer.compare(raw, (await mail.load(id))?.raw ?? new Uint8Array()) === 0);
      const found = async (kind: "text" | "containing", query: string) =>
        (await mail.search({ kind, query })).items.map((each) => each.id);
      assert.deepEqual(await found("text", "the annex"), [id]);
      assert.deepEqual(await found("containing", lines.slice(400_000, 400_020)), [id]);
      assert.deepEqual(await found("text", "appendix"), []);
    },
  },
  {
    name: "a message is not visible before it is finished, nor after it is discarded",
    async run({ mail }) {
      const incoming = mail.receive(envelope);
      await incoming.write(letter("half"));
      assert.equal(await mail.count(), 0);
      await incoming.discard();
      await rejectsWith(incoming.finish(), "MAIL_MESSAGE_ENDED");
      assert.deepEqual((await mail.list()).items, []);
    },
  },
  {
    name: "a message that is discarded during or after its finish stays complete",
    async run({ mail }) {
      const after = mail.receive(envelope);
      await after.write(letter("after"));
      const { id } = await after.finish();
      await after.discard();
      assert.equal((await mail.load(id))?.subject, "after");
      const during = mail.receive(envelope);
      await during.write(letter("during"));
      const finishing = during.finish();
      await during.discard();
      assert.equal((await mail.load((await finishing).id))?.subject, "during");
    },
  },
  {
    name: "the summary has subject, addresses, size, preview and attachments, decoded",
    async run({ mail }) {
      const raw = Buffer.from(
        "From: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\r\nTo: b@y.org\r\nSubject: =?iso-8859-1?Q?caf=E9?=\r\n" +
          "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
          `${Buffer.from("first line\nsecond").toString("base64")}\r\n--B\r\n` +
          "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\nx\r\n--B--\r\n",
      );
      const { id } = await mail.store(envelope, raw);
      const summary = await mail.summary(id);
      assert.equal(summary?.subject, "café");
      assert.equal(summary?.headerFrom, "Jürgen <j@x.org>");
      assert.equal(summary?.headerTo, "b@y.org");
      assert.equal(summary?.preview, "first line second");
      assert.equal(summary?.attachments, 1);
      assert.equal(summary?.size, raw.length);
    },
  },
  {
    name: "a summary is the same when it is read again, even if a long value was cut",
    async run({ mail }) {
      for (const before of [0, 1]) {
        const text = "x".repeat(before) + "😀".repeat(300);
        const stored = await mail.store(envelope, letter(text, `${text}\r\n`));
        for (const cut of [stored.subject, stored.preview]) assert.doesNotMatch(cut, /\p{Cs}/u);
        assert.deepEqual((await mail.list()).items[0], stored);
      }
    },
  },
  {
    name: "an invalid or unknown id loads nothing and deletes nothing",
    async run({ mail }) {
      const { id } = await mail.store(envelope, letter("one"));
      for (const wrong of ["", "x", "../../etc/passwd", `${id}x`, "\u0000", "9".repeat(2000)]) {
        assert.equal(await mail.load(wrong), undefined);
        assert.equal(await mail.summary(wrong), undefined);
        assert.equal(await mail.deleteOne(wrong), false);
      }
      await mail.deleteOne(id);
      assert.equal(await mail.load(id), undefined);
    },
  },
  {
    name: "loads a page in order, without messages deleted meanwhile",
    async run({ mail }) {
      for (const subject of ["1", "2", "3", "4"]) await mail.store(envelope, letter(subject));
      const { items } = await mail.list();
      await mail.deleteOne(items[1]?.id ?? "");
      const copies = items.map((summary) => ({ ...summary }));
      for (const given of [items, copies]) {
        const loaded: string[] = [];
        for await (const message of mail.loadEach(given)) loaded.push(message.subject);
        assert.deepEqual(loaded, subjectsOf(items).toSpliced(1, 1));
      }
    },
  },
  {
    name: "loads a page without messages that another process deleted meanwhile, even ones without bytes",
    async run({ mail, another }) {
      await mail.store(envelope, letter("1"));
      const empty = await mail.store(envelope, new Uint8Array());
      await mail.store(envelope, letter("3"));
      const { items } = await mail.list();
      const other = await another();
      assert.equal(await other.deleteMany([items[0]?.id ?? "", empty.id]), 2);
      const loaded: string[] = [];
      for await (const message of mail.loadEach(items)) loaded.push(message.subject);
      assert.deepEqual(loaded, ["1"]);
      await other.close();
    },
  },
  {
    name: "rejects an invalid envelope and invalid bytes by name, and stores nothing",
    async run({ mail }) {
      const wrong = [
        undefined,
        {},
        { ...envelope, from: undefined },
        { ...envelope, to: "bob@example.com" },
        { ...envelope, to: [1] },
        { ...envelope, helo: 5 },
        { ...envelope, user: 5 },
      ];
      for (const each of wrong)
        await rejectsWith(mail.store(each as unknown as Envelope, letter("x")), "MAIL_OPTION_INVALID");
      for (const bytes of [undefined, "a text", [1], new ArrayBuffer(3)])
        await rejectsWith(mail.store(envelope, bytes as unknown as Uint8Array), "MAIL_OPTION_INVALID");
      assert.equal(await mail.count(), 0);
    },
  },
  {
    name: "MailHog's shape has the headers that MailHog adds, and its parts",
    async run({ mail }) {
      const raw = Buffer.from(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nA: 1\r\n\r\nx\r\n--b--\r\n",
      );
      const { id } = await mail.store(envelope, raw);
      const message = (await mail.load(id))?.mailhog();
      assert.equal(message?.ID, id);
      assert.equal(message?.From.Mailbox, "ann");
      assert.deepEqual(message?.Content.Headers["Return-Path"], ["<ann@example.org>"]);
      assert.match(
        message?.Content.Headers["Received"]?.[0] ?? "",
        /^from client\.example by .* \(MailHog\)/,
      );
      assert.deepEqual(
        message?.MIME?.Parts?.map(({ Body }) => Body),
        ["x", "--"],
      );
      assert.equal(message?.Raw.Data, raw.toString().slice(0, -2));
    },
  },
  {
    name: "rejects a message that is too large permanently, and stores nothing",
    async run({ mail }) {
      const incoming = mail.receive(envelope);
      const write = async () => {
        for (let written = 0; written < 60; written++) await incoming.write(Buffer.alloc(1_000_000));
      };
      const { ambiguous } = await rejectsWith(write(), "MAIL_MESSAGE_TOO_LARGE");
      assert.equal(ambiguous, false);
      await incoming.discard();
      assert.equal(await mail.count(), 0);
    },
  },
  {
    name: "finish also rejects a message that became too large",
    async run({ mail }) {
      const incoming = mail.receive(envelope);
      await incoming.write(letter("large"));
      await rejectsWith(incoming.write(Buffer.alloc(60_000_000)), "MAIL_MESSAGE_TOO_LARGE");
      await rejectsWith(incoming.finish(), "MAIL_MESSAGE_TOO_LARGE");
      assert.equal(await mail.count(), 0);
    },
  },
];
