import assert from "node:assert/strict";
import type { MailSummary } from "../model/message.ts";
import {
  envelope,
  finds,
  letter,
  type MailCase,
  rejectsWith,
  storeLetters,
  subjectsOf,
} from "./mail-case.ts";

/** Lists and searches. */
export const listCases: readonly MailCase[] = [
  {
    name: "a list is newest first, and ids sort like it",
    async run({ mail }) {
      const stored = await storeLetters(mail, 12);
      const { items } = await mail.list();
      assert.deepEqual(items, stored.toReversed());
      const ids = items.map(({ id }) => id);
      assert.deepEqual(ids, ids.toSorted().toReversed());
    },
  },
  {
    name: "start and limit return any part of the list, and nothing beyond its end",
    async run({ mail }) {
      await storeLetters(mail, 7);
      const part = async (start: number, limit: number) =>
        subjectsOf((await mail.list({ start, limit })).items);
      assert.deepEqual(await part(0, 2), ["7", "6"]);
      assert.deepEqual(await part(5, 5), ["2", "1"]);
      // MailHog returns the oldest message here.
      assert.deepEqual(await part(7, 5), []);
      assert.deepEqual(await part(100, 5), []);
      assert.deepEqual(await part(0, 0), []);
    },
  },
  {
    name: "cursors return every message once, even while others are stored and deleted",
    async run({ mail }) {
      const stored = await storeLetters(mail, 9);
      const seen: MailSummary[] = [];
      let next: string | undefined;
      do {
        const page = await mail.list({ limit: 2, cursor: next });
        seen.push(...page.items);
        next = page.next;
        await mail.store(envelope, letter("meanwhile"));
        await mail.deleteOne(page.items[0]?.id ?? "");
      } while (next !== undefined);
      assert.deepEqual(seen, stored.toReversed());
    },
  },
  {
    name: "rejects a cursor of another store",
    async run({ mail }) {
      await rejectsWith(mail.list({ cursor: "bm90aGluZw" }), "MAIL_CURSOR_INVALID");
      await rejectsWith(mail.list({ cursor: "%%%" }), "MAIL_CURSOR_INVALID");
    },
  },
  {
    name: "from and to match a part of the envelope's or the header's address, ignoring case",
    async run({ mail }) {
      await mail.store(envelope, letter("both"));
      await mail.store({ ...envelope, from: "x@y.org", to: ["Carol@y.org", "dave"] }, letter("header"));
      await mail.store({ ...envelope, from: "x@y.org", to: [] }, Buffer.from("Subject: bare\r\n\r\n"));
      await finds(mail, { kind: "from", query: "ANN@example" }, ["header", "both"]);
      await finds(mail, { kind: "from", query: "@y.org" }, ["bare", "header"]);
      await finds(mail, { kind: "to", query: "carol@" }, ["header"]);
      await finds(mail, { kind: "to", query: "dave@" }, ["header"]);
      await finds(mail, { kind: "to", query: "BOB <" }, ["header", "both"]);
      await finds(mail, { kind: "to", query: "nobody" }, []);
    },
  },
  {
    name: "containing matches header values and the body, undecoded",
    async run({ mail }) {
      await mail.store(envelope, letter("Quarterly", "an invoice\r\n"));
      await mail.store(envelope, letter("encoded", Buffer.from("an invoice").toString("base64")));
      await mail.store(envelope, letter("folded\r\n subject", "ünïcödé\r\n"));
      await finds(mail, { kind: "containing", query: "AN INVOICE" }, ["Quarterly"]);
      await finds(mail, { kind: "containing", query: "quarter" }, ["Quarterly"]);
      await finds(mail, { kind: "containing", query: "ed subj" }, ["folded subject"]);
      await finds(mail, { kind: "containing", query: "ÜNÏC" }, ["folded subject"]);
      await finds(mail, { kind: "containing", query: "Subject: " }, []);
      await finds(mail, { kind: "containing", query: "by mail" }, ["folded subject", "encoded", "Quarterly"]);
    },
  },
  {
    name: "text matches decoded subject, addresses, text and HTML",
    async run({ mail }) {
      const part = (type: string, body: string) =>
        `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(body).toString("base64")}\r\n`;
      const body = `--b\r\n${part("text/plain", "Grüße aus Köln")}--b\r\n${part("text/html", "<p>Re<b>set</b> your&nbsp;code: 12&amp;34</p>")}--b--\r\n`;
      await mail.store(
        envelope,
        Buffer.from(
          `Subject: =?utf-8?B?${Buffer.from("Über").toString("base64")}?=\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${body}`,
        ),
      );
      await finds(mail, { kind: "text", query: "grüße AUS" }, ["Über"]);
      await finds(mail, { kind: "text", query: "reset your code: 12&34" }, ["Über"]);
      await finds(mail, { kind: "text", query: "über" }, ["Über"]);
      await finds(mail, { kind: "text", query: "<b>" }, []);
      await finds(mail, { kind: "containing", query: "grüße" }, []);
    },
  },
  {
    name: "sender and recipient match complete addresses",
    async run({ mail }) {
      await mail.store(envelope, letter("one"));
      await mail.store(
        { ...envelope, to: ["abob@example.com", "Zoe@Example.com"] },
        Buffer.from("Subject: two\r\nCc: bob@example.com, <c@x.org>\r\n\r\n"),
      );
      await finds(mail, { kind: "recipient", query: "BOB@example.com" }, ["two", "one"]);
      await finds(mail, { kind: "recipient", query: "zoe@example.com" }, ["two"]);
      await finds(mail, { kind: "recipient", query: "c@x.org" }, ["two"]);
      await finds(mail, { kind: "recipient", query: "ob@example.com" }, []);
      await finds(mail, { kind: "sender", query: "ann@example.org" }, ["two", "one"]);
    },
  },
  {
    name: "a search returns pages, by start or by cursor, and a total only on request",
    async run({ mail }) {
      await storeLetters(mail, 6);
      const search = { kind: "containing", query: "hello" } as const;
      const first = await mail.search(search, { limit: 4 });
      assert.deepEqual(subjectsOf(first.items), ["6", "5", "4", "3"]);
      assert.equal(first.total, undefined);
      const rest = await mail.search(search, { cursor: first.next, total: true });
      assert.deepEqual(subjectsOf(rest.items), ["2", "1"]);
      assert.equal(rest.next, undefined);
      assert.equal(rest.total, 6);
      assert.deepEqual(subjectsOf((await mail.search(search, { start: 5 })).items), ["1"]);
    },
  },
  {
    name: "rejects unknown options",
    async run({ mail }) {
      await rejectsWith(mail.list({ limt: 5 } as object), "MAIL_OPTION_INVALID");
      await rejectsWith(mail.list({ start: -1 }), "MAIL_OPTION_INVALID");
      await rejectsWith(mail.search({ kind: "subject" as "text", query: "x" }), "MAIL_OPTION_INVALID");
      await rejectsWith(mail.search({ kind: "text", query: "" }), "MAIL_OPTION_INVALID");
    },
  },
];
