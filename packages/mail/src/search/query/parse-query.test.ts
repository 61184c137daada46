import { describe, expect, test } from "vitest";
import { isMailError } from "../../model/mail-error.ts";
import { parseQuery } from "./parse-query.ts";

const tests = (query: string) => parseQuery(query).terms.map(({ not, test: each }) => ({ not, ...each }));
const found = (field: string, value: string, not = false) => ({ not, field, value });

describe("a query is parsed", () => {
  test.each([
    ["words", "Invoice  2026", [found("text", "invoice"), found("text", "2026")]],
    ["a phrase", '"Your  Invoice"', [found("text", "your invoice")]],
    ["a phrase with quotes", String.raw`"say \"hi\" \\"`, [found("text", 'say "hi" \\')]],
    ["excluded words", "-spam !ham", [found("text", "spam", true), found("text", "ham", true)]],
    ["a hyphen within a word and alone", "e-mail -", [found("text", "e-mail"), found("text", "-")]],
    [
      "addresses",
      "From:Ann to:bob@x cc:c bcc:d",
      [found("from", "ann"), found("to", "bob@x"), found("cc", "c"), found("bcc", "d")],
    ],
    ["a field with a phrase", '-subject:"Re: hello"', [found("subject", "re: hello", true)]],
    ["all addresses", "addressed:ann reply-to:x", [found("addressed", "ann"), found("reply-to", "x")]],
    ["message ids", "message-id:<A@b>", [found("message-id", "<a@b>")]],
    ["a name in quotes as text", '"from:ann"', [found("text", "from:ann")]],
    [
      "other words with a colon as text",
      "https://x.example 12:30",
      [found("text", "https://x.example"), found("text", "12:30")],
    ],
    [
      "state",
      'IS:unread -is:tagged tag:Big tag:"two words"',
      [found("is", "unread"), found("is", "tagged", true), found("tag", "big"), found("tag", "two words")],
    ],
    ["parts", "has:attachments has:inline", [found("has", "attachment"), found("has", "inline")]],
  ])("%s", (_name, query, expected) => {
    expect(tests(query)).toEqual(expected);
  });

  test.each([
    ["2026-11-16", Date.UTC(2026, 10, 16)],
    ["2026/1/6", Date.UTC(2026, 0, 6)],
    ["2026-11-16T10:30", Date.UTC(2026, 10, 16, 10, 30)],
    ['"2026-11-16 10:30:05"', Date.UTC(2026, 10, 16, 10, 30, 5)],
    ["2026-11-16T10:30:05.25Z", Date.UTC(2026, 10, 16, 10, 30, 5, 250)],
    ["2026-11-16T10:30+02:00", Date.UTC(2026, 10, 16, 8, 30)],
    ["2026-11-16T10:30-0130", Date.UTC(2026, 10, 16, 12, 0)],
  ])("the date %s", (date, ms) => {
    expect(tests(`before:${date} after:${date}`)).toEqual([
      { not: false, field: "before", ms },
      { not: false, field: "after", ms },
    ]);
  });

  test.each([
    ["500", 500],
    ["20k", 20_480],
    ["1.5MB", 1_572_864],
    ["2kb", 2048],
    ["7b", 7],
  ])("the size %s", (size, bytes) => {
    expect(tests(`larger:${size}`)).toEqual([{ not: false, field: "larger", bytes }]);
  });
});

describe("a query is rejected, with the position of", () => {
  test.each([
    ["nothing", "  ", 0],
    ["an empty value", "a from: b", 7],
    ["an empty phrase", 'a ""', 2],
    ["a quote without an end", 'a -subject:"b c', 11],
    ["an unknown state", "is:red", 3],
    ["an unknown part", "x has:html", 6],
    ["a date that is not one", "before:yesterday", 7],
    ["a day that does not exist", "before:2026-02-30", 7],
    ["a month that does not exist", "after:2026-13-01", 6],
    ["an hour that does not exist", "after:2026-12-01T24:00", 6],
    ["a size that is not one", "-larger:big", 8],
    ["an unknown unit", "smaller:5gb", 8],
    ["too many terms", "a ".repeat(51), 100],
    ["too many characters", "a".repeat(5000), 4096],
  ])("%s", (_name, query, at) => {
    const error: unknown = (() => {
      try {
        return parseQuery(query);
      } catch (thrown) {
        return thrown;
      }
    })();
    if (!isMailError(error, "MAIL_QUERY_INVALID")) throw error;
    expect(error.details).toMatchObject({ query, at });
  });
});
