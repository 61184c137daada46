import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drive, line } from "../../../test/smtp-driver.ts";
import { smtpReply } from "./replies.ts";

const content = (text: string) => {
  const session = drive();
  session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
  return { session, answer: session.send(text) };
};

describe("the message", () => {
  test.each([
    ["", ""],
    ["..\r\n", ".\r\n"],
    ["...\r\n", "..\r\n"],
    [".x\r\n", "x\r\n"],
    ["a\r\n..b\r\n", "a\r\n.b\r\n"],
    [".\r", ""],
    ["a\r\n.\rb\r\n", "a\r\n\rb\r\n"],
    ["\r\n", "\r\n"],
    ["a\r\r\n", "a\r\r\n"],
    ["\xff\0\x80\r\n", "\xff\0\x80\r\n"],
  ])("%j before the end arrives as %j, whole or in single bytes", (sent, stored) => {
    for (const way of ["send", "sendByByte"] as const) {
      const session = drive();
      session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
      if (sent === ".\r") {
        session[way]("\r\n.\r");
        expect(session.messages).toHaveLength(0);
        continue;
      }
      expect(session[way](`${sent}.\r\n`)).toBe("250 Ok: queued as id-1\r\n");
      expect(session.messages[0]?.text).toBe(stored);
    }
  });

  const endings = ["\n.\n", "\n.\r\n", "\r.\r", "\r.\r\n", "\r\n.\n", "\r\n.\r", "\n.\r", "\r.\n"];
  test.each(endings)("%j does not end it, wherever the bytes are cut", (ending) => {
    const smuggled = `a${ending}MAIL FROM:<evil@x>\r\n`;
    for (let cut = 0; cut <= smuggled.length; cut++) {
      const session = drive();
      session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
      expect(session.send(smuggled.slice(0, cut)) + session.send(smuggled.slice(cut))).toBe("");
      expect(session.send(".\r\n")).toBe("250 Ok: queued as id-1\r\n");
      expect(session.messages[0]?.text).toBe(smuggled.replace("\r\n.", "\r\n"));
    }
  });

  test("notes dots after a bare LF", () => {
    const { session } = content("a\n.\r\nb\r\n.\r\n");
    expect(session.steps).toContainEqual({ kind: "note", text: expect.stringContaining("bare LF") });
  });

  test("any dot-stuffed content is received unchanged, in pieces of any size", () => {
    const piece = fc.constantFrom("\r", "\n", ".", "\r\n", "\r\n.", "a", "bcd");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(6)), (pieces, cuts) => {
        const text = pieces.length === 0 ? "" : `${pieces.join("")}\r\n`;
        const sent = `${text.replace(/(^|\r\n)\./g, "$1..")}.\r\n`;
        const session = drive();
        session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
        let said = "";
        let at = 0;
        for (const cut of cuts) {
          said += session.send(sent.slice(at, at + cut));
          at += cut;
        }
        said += session.send(sent.slice(at));
        expect(said).toBe("250 Ok: queued as id-1\r\n");
        expect(session.messages[0]?.text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("reads a message that is too large to its end, rejects it, and continues the session", () => {
    const session = drive({ limits: { messageBytes: 10 } });
    session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
    expect(session.send("123456\r\n78")).toBe("");
    expect(session.send("9")).toBe("");
    expect(session.steps.at(-2)).toEqual({ kind: "discard" });
    expect(session.send("\r\n.\r\nNOOP\r\n")).toBe(line("552 Message exceeds the maximum size", "250 Ok"));
    expect(session.messages).toHaveLength(0);
    expect(session.send(line("MAIL FROM:<a@b>", "DATA", "12345678", "."))).toContain("250 Ok: queued");
  });

  test("disconnects a client that continues a rejected message without end", () => {
    const session = drive({ limits: { messageBytes: 10 } });
    session.send(line("EHLO me", "MAIL FROM:<a@b>", "DATA"));
    session.send("x".repeat(20));
    expect(session.send("x")).toBe("552 Message exceeds the maximum size\r\n");
    expect(session.isClosed()).toBe(true);
  });

  test("rejects a line that is too long, even if it arrives in pieces", () => {
    const session = drive({ limits: { dataLineBytes: 10 } });
    session.send(line("EHLO me", "MAIL FROM:<a@b>", "DATA"));
    session.send("12345678\r\n12345");
    session.send("67890a");
    expect(session.send("\r\n.\r\n")).toBe("554 A line of the message is too long\r\n");
  });

  test.each(["begin", "content", "commit"] as const)(
    "reports a failure at %s once and continues the session",
    (kind) => {
      const failed = { kind: "failed", reply: smtpReply(451, "Unable") } as const;
      const session = drive({}, (step) => (step.kind === kind ? failed : undefined));
      session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>"));
      const answer = session.send("DATA\r\n");
      expect(answer).toBe(kind === "begin" ? "451 Unable\r\n" : "354 End data with <CR><LF>.<CR><LF>\r\n");
      if (kind !== "begin") expect(session.send("a\r\nb\r\n.\r\n")).toBe("451 Unable\r\n");
      expect(session.steps.filter((step) => step.kind === "content").length).toBe(kind === "begin" ? 0 : 1);
      expect(session.send("NOOP\r\n")).toBe("250 Ok\r\n");
    },
  );

  test("keeps a message sent after a rejected DATA out of the transcript", () => {
    const session = drive();
    const message = ["Subject: hidden", "", "hidden", "."];
    session.send(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<>", "DATA", ...message, "RSET", "help"));
    session.send(line("MAIL FROM:<a@b>", "DATA", ...message, "help"));
    const received = session.steps.filter((step) => step.kind === "received").map((step) => step.line);
    expect(received).toEqual([
      ...["EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<>", "DATA"],
      ...Array(4).fill("(not a command: probably a line of the rejected message)"),
      ...["RSET", "help", "MAIL FROM:<a@b>", "DATA", "help"],
    ]);
  });
});
