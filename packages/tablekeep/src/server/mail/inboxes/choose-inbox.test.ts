import { describe, expect, test } from "vitest";
import { chooseInbox, inboxOfUser, userWithoutInbox } from "./choose-inbox.ts";
import type { InboxRule } from "./inbox-definition.ts";
import { parseDefinition } from "./inbox-definition.ts";

const message = {
  envelope: { from: "a@b.example", to: ["one@shop.example", "two@x.example"], helo: "h", user: "ci" },
  peer: { address: "::ffff:10.1.2.3", port: 1025 },
  head: Buffer.from("Subject: x\r\nX-Project:  Shop 7\r\nX-Project: other\r\n\r\nbody"),
};
const chosen = (...rules: InboxRule[]) => chooseInbox(new Map([["box", { name: "box", rules }]]), message);

describe("a rule", () => {
  test.each<InboxRule>([
    { user: "ci" },
    { user: "C*" },
    { to: "*@shop.example" },
    { to: "TWO@x.example" },
    { header: "X-Project: shop*" },
    { header: "x-project:other" },
    { address: "10.0.0.0/8" },
    { address: "10.1.2.3" },
    { port: 1025 },
    { user: "ci", to: "one@*", header: "Subject:*", address: "0.0.0.0/0", port: 1025 },
  ])("%j fits", (rule) => {
    expect(chosen({ to: "nobody" }, rule)).toBe("box");
  });

  test.each<InboxRule>([
    { user: "c" },
    { to: "@shop.example" },
    { header: "X-Project: shop" },
    { header: "X-None: *" },
    { address: "10.2.0.0/16" },
    { address: "::/0" },
    { port: 25 },
    { user: "ci", to: "nobody" },
  ])("%j does not fit", (rule) => {
    expect(chosen(rule)).toBe("default");
  });
});

test("without a fitting rule the user selects the inbox", () => {
  const of = (user?: string) =>
    chooseInbox(new Map(), { ...message, envelope: { ...message.envelope, user } });
  expect(["ci+Feature/7", "ci", "ann+x@b.example", "+x", "a+b+c", undefined].map(of)).toEqual([
    "feature-7",
    "default",
    "default",
    "default",
    "default",
    "default",
  ]);
  expect(inboxOfUser("ci+ü")).toBeUndefined();
  expect(["ci+x", "ci", "a+b@c"].map(userWithoutInbox)).toEqual(["ci", "ci", "a+b@c"]);
});

test("without a user that selects an inbox, the domain of a recipient does", () => {
  const of = (...to: string[]) =>
    chooseInbox(new Map(), { ...message, envelope: { ...message.envelope, to } }, "inbox.test");
  expect(of("ann@T7.Inbox.test")).toBe("t7");
  expect(of("ann@other.example", "bob@t8.inbox.test")).toBe("t8");
  for (const other of ["ann@inbox.test", "ann@a.b.inbox.test", "ann@t7.inbox.test.example", "t7.inbox.test"])
    expect(of(other)).toBe("default");
  const withUser = { ...message.envelope, user: "ci+mine", to: ["ann@t7.inbox.test"] };
  expect(chooseInbox(new Map(), { ...message, envelope: withUser }, "inbox.test")).toBe("mine");
});

test.each(["999.1.1.1", "10.0.0.0/33", "::/129", "1.2.3", "::1::", "a.b", "10.0.0.0/"])(
  "rejects a rule for the address %s, which no client can have",
  (address) => {
    expect(() => parseDefinition("shop", { rules: [{ address }] })).toThrow("address");
  },
);
