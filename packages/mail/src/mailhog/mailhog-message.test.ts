import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailhogMessage, mailhogPath, rfc1123, rfc3339 } from "./mailhog-message.ts";

const message = (raw: string | Uint8Array, from = "a@b") =>
  mailhogMessage({
    id: "ID",
    envelope: { from, to: ["c@d"], helo: "me" },
    raw: Buffer.from(raw as string),
    created: Date.UTC(2026, 10, 15, 2, 11, 38, 120),
    hostname: "host",
  });

describe("a message in MailHog's shape", () => {
  test("has the last of repeated headers, unfolded, by their names as sent", () => {
    const { Headers, Body } = message(
      "A: 1\r\na: 2\r\nA: 3\r\n four\r\nB:none\r\n five\r\n\r\nbody\r\n",
    ).Content;
    // A fold after a line that is not a header belongs to the header before.
    expect(Headers["A"]).toEqual(["3 four five"]);
    expect(Headers["a"]).toEqual(["2"]);
    expect(Headers["B"]).toBeUndefined();
    expect(Body).toBe("body");
  });

  test("has only the added headers if there is no empty line", () => {
    const { Content } = message("Subject: x\r\nbody");
    expect(Object.keys(Content.Headers)).toEqual(["Message-ID", "Received", "Return-Path"]);
    expect(Content.Body).toBe("Subject: x\r\nbody");
  });

  test("adds to existing Received and Return-Path headers, and keeps a Message-ID", () => {
    const { Headers } = message("MESSAGE-ID: m\r\nreceived: r\r\nReturn-path: p\r\n\r\nx\r\n").Content;
    expect(Headers["MESSAGE-ID"]).toEqual(["m"]);
    expect(Headers["Message-ID"]).toBeUndefined();
    expect(Headers["received"]).toEqual([
      "r",
      "from me by host (MailHog)\r\n          id ID; Sun, 15 Nov 2026 02:11:38 +0000",
    ]);
    expect(Headers["Return-path"]).toEqual(["p", "<a@b>"]);
  });

  test("counts sizes in bytes, and reads UTF-8", () => {
    const { Content, Raw } = message("Subject: ü\r\n\r\nÄ\r\n");
    expect(Content.Size).toBe(17);
    expect(Content.Body).toBe("Ä");
    expect(Raw.Data).toBe("Subject: ü\r\n\r\nÄ");
  });

  test("keeps names that are special to JavaScript", () => {
    const { Headers } = message("__proto__: x\r\nconstructor: y\r\n\r\nx\r\n").Content;
    expect(Object.keys(Headers)).toEqual(expect.arrayContaining(["__proto__", "constructor"]));
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("exists for any bytes, however deeply nested or malformed", () => {
    const piece = fc.constantFrom(
      "\r\n",
      "\n",
      "--b",
      "--",
      "Content-Type: multipart/mixed; boundary=b",
      ": ",
      " ",
      "x",
      "é",
    );
    const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { Raw, Content } = message(pieces.join(""));
      expect(Raw.Data.length).toBeLessThanOrEqual(Content.Size);
    });
    fc.assert(property, { numRuns: 500 });
    let nested = "x";
    for (let depth = 0; depth < 3000; depth++)
      nested = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${nested}\r\n--b${depth}--`;
    expect(message(nested).MIME?.Parts).toHaveLength(2);
  });
});

describe("an address as MailHog splits it", () => {
  test.each([
    ["a@b", { Relays: null, Mailbox: "a", Domain: "b", Params: "" }],
    ["postmaster", { Relays: null, Mailbox: "postmaster", Domain: "", Params: "" }],
    ["@x,@y:a@b@c", { Relays: ["@x", "@y"], Mailbox: "a", Domain: "b@c", Params: "" }],
    ["", { Relays: null, Mailbox: "", Domain: "", Params: "" }],
  ])("%j", (path, parsed) => expect(mailhogPath(path)).toEqual(parsed));
});

test("times are written as Go writes them", () => {
  expect(rfc3339(Date.UTC(2026, 0, 2, 3, 4, 5, 120))).toBe("2026-01-02T03:04:05.12Z");
  expect(rfc3339(Date.UTC(2026, 0, 2, 3, 4, 50))).toBe("2026-01-02T03:04:50Z");
  expect(rfc1123(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe("Fri, 02 Jan 2026 03:04:05 +0000");
});
