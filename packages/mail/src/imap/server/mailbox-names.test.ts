import { describe, expect, test } from "vitest";
import { mailboxName, mailboxPattern, parseMailboxName } from "./mailbox-names.ts";

test.each([
  ["INBOX", {}],
  ["inbox", {}],
  ["INBOX/shop", { inbox: "shop" }],
  ["Inbox/Shop", { inbox: "shop" }],
  ["INBOX/inbox", { inbox: "inbox" }],
  ["INBOX/", undefined],
  ["INBOX/a/b", undefined],
  ["INBOXES", undefined],
  ["shop", undefined],
  ["", undefined],
])("the mailbox %j is %j", (name, meaning) => {
  const parsed = parseMailboxName(name);
  expect(parsed).toEqual(meaning);
  if (parsed !== undefined) expect(mailboxName(parsed.inbox).toLowerCase()).toBe(name.toLowerCase());
});

describe("a pattern", () => {
  const names = ["INBOX", "INBOX/a.b", "INBOX/shop", "INBOX/shop-2"];
  test.each([
    ["*", names],
    ["%", ["INBOX"]],
    ["inbox/%", names.slice(1)],
    ["%/%", names.slice(1)],
    ["%%", ["INBOX"]],
    ["INBOX*", names],
    ["*shop", ["INBOX/shop"]],
    ["*SHOP*", ["INBOX/shop", "INBOX/shop-2"]],
    ["I%X/s%p", ["INBOX/shop"]],
    ["INBOX/a?b", []],
    ["INBOX/a.b", ["INBOX/a.b"]],
    ["*/*/*", []],
    ["", []],
    ["x".repeat(101), []],
  ])("%j selects %j", (pattern, selected) => {
    expect(names.filter(mailboxPattern(pattern))).toEqual(selected);
  });

  test("of many wildcards ends, where a search with backtracking would not", () => {
    const matches = mailboxPattern("*a".repeat(50));
    for (let at = 0; at < 100; at++) expect(matches(`INBOX/${"a".repeat(49)}${"b".repeat(14)}`)).toBe(false);
  });
});
