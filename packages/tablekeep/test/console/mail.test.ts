import { expect, test } from "vitest";
import { senderName } from "../../console/mail/mail-message.ts";
import { hasRemoteContent, messageLinks } from "../../console/mail/message-links.ts";
import { placeQuery, requestQuery, searchOf } from "../../console/mail/search-kinds.ts";
import { sessionResult } from "../../console/mail/smtp-transcript.ts";

test("links are addresses of pages and mailboxes only, each once", () => {
  const html = `<a href="https://a.example/x?a=1&amp;b=2">a</a> <a href='HTTP://B.example'>b</a>
    <a href=https://c.example/c>c</a> <a href="javascript:alert(1)">d</a> <a href="data:text/html,x">e</a>
    <a href="mailto:a@b.example">f</a> <a href=" https://a.example/x?a=1&b=2 ">a</a> <a href="/here">g</a>
    <a data-href="https://not.example">h</a> <a href="https&#58;//e.example/&#x65;?a&equals;">i</a>`;
  expect(
    messageLinks({ html, text: "See https://t.example/t. Or (https://u.example/u)! mailto:c@d.example." }),
  ).toEqual([
    "https://a.example/x?a=1&b=2",
    "http://b.example/",
    "https://c.example/c",
    "mailto:a@b.example",
    "https://e.example/e?a&equals;",
    "https://t.example/t",
    "https://u.example/u",
    "mailto:c@d.example",
  ]);
});

test.each([
  ['<img src="https://x.example/p.png">', true],
  ["<IMG SRC=//x.example/p.png>", true],
  ["<td background='http://x.example/p'>", true],
  ["<div style=\"background:url('https://x.example/p')\">", true],
  ['<img src="cid:logo"><a href="https://x.example">x</a>', false],
  ["<p>https://x.example</p>", false],
])("whether %s would load something: %s", (html, loads) => {
  expect(hasRemoteContent(html)).toBe(loads);
});

test.each([
  ['"Anna A." <anna@example.com>', "Anna A."],
  ["Anna <anna@example.com>", "Anna"],
  ["<anna@example.com>", "<anna@example.com>"],
  ["anna@example.com", "anna@example.com"],
  ["", ""],
])("%s is shown as %s", (from, name) => {
  expect(senderName(from)).toBe(name);
});

test("a search is kept in the address, and an unknown kind is ignored", () => {
  const search = searchOf({ query: new URLSearchParams("inbox=shop&kind=from&q=anna") });
  expect(search).toEqual({ inbox: "shop", kind: "from", query: "anna" });
  expect(searchOf({ query: new URLSearchParams(placeQuery(search)) })).toEqual(search);
  expect(requestQuery({ inbox: "", kind: "from", query: "" })).toEqual({});
  expect(searchOf({ query: new URLSearchParams("kind=toString&q=x") })).toEqual({
    inbox: "",
    kind: "query",
    query: "x",
  });
});

test("a session shows its outcome", () => {
  const session = {
    id: "1",
    client: "c",
    started: 0,
    ended: 1,
    secure: false,
    stored: [],
    inboxes: {},
    failed: 0,
  };
  expect(sessionResult(session)).toEqual({ text: "no message", kind: "warn" });
  expect(sessionResult({ ...session, stored: ["a"] }).text).toBe("1 stored");
  expect(sessionResult({ ...session, stored: ["a"], failed: 2 }).text).toBe("2 failed");
});
