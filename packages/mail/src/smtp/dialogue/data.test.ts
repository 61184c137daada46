import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { line, play } from "../../../test/play-smtp.ts";
import { smtpReply } from "./replies.ts";

const content = (text: string) => {
  const session = play();
  session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
  return { session, answer: session.say(text) };
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
    for (const way of ["say", "spell"] as const) {
      const session = play();
      session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
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
      const session = play();
      session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
      expect(session.say(smuggled.slice(0, cut)) + session.say(smuggled.slice(cut))).toBe("");
      expect(session.say(".\r\n")).toBe("250 Ok: queued as id-1\r\n");
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
        const session = play();
        session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
        let said = "";
        let at = 0;
        for (const cut of cuts) {
          said += session.say(sent.slice(at, at + cut));
          at += cut;
        }
        said += session.say(sent.slice(at));
        expect(said).toBe("250 Ok: queued as id-1\r\n");
        expect(session.messages[0]?.text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("reads a message that is too large to its end, rejects it, and continues the session", () => {
    const session = play({ limits: { messageBytes: 10 } });
    session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"));
    expect(session.say("123456\r\n78")).toBe("");
    expect(session.say("9")).toBe("");
    expect(session.steps.at(-2)).toEqual({ kind: "discard" });
    expect(session.say("\r\n.\r\nNOOP\r\n")).toBe(line("552 Message exceeds the maximum size", "250 Ok"));
    expect(session.messages).toHaveLength(0);
    expect(session.say(line("MAIL FROM:<a@b>", "DATA", "12345678", "."))).toContain("250 Ok: queued");
  });

  test("one that does not end although it is refused is cut off", () => {
    const session = play({ limits: { messageBytes: 10 } });
    session.say(line("EHLO me", "MAIL FROM:<a@b>", "DATA"));
    session.say("x".repeat(20));
    expect(session.say("x")).toBe("552 Message exceeds the maximum size\r\n");
    expect(session.isClosed()).toBe(true);
  });

  test("rejects a line that is too long, even if it arrives in pieces", () => {
    const session = play({ limits: { dataLineBytes: 10 } });
    session.say(line("EHLO me", "MAIL FROM:<a@b>", "DATA"));
    session.say("12345678\r\n12345");
    session.say("67890a");
    expect(session.say("\r\n.\r\n")).toBe("554 A line of the message is too long\r\n");
  });

  test.each(["begin", "content", "commit"] as const)(
    "a failure at %s is told once and leaves the session intact",
    (kind) => {
      const failed = { kind: "failed", reply: smtpReply(451, "Unable") } as const;
      const session = play({}, (step) => (step.kind === kind ? failed : undefined));
      session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<c@d>"));
      const answer = session.say("DATA\r\n");
      expect(answer).toBe(kind === "begin" ? "451 Unable\r\n" : "354 End data with <CR><LF>.<CR><LF>\r\n");
      if (kind !== "begin") expect(session.say("a\r\nb\r\n.\r\n")).toBe("451 Unable\r\n");
      expect(session.steps.filter((step) => step.kind === "content").length).toBe(kind === "begin" ? 0 : 1);
      expect(session.say("NOOP\r\n")).toBe("250 Ok\r\n");
    },
  );

  test("a message sent although DATA was refused is not in the transcript", () => {
    const session = play();
    const message = ["Subject: hidden", "", "hidden", "."];
    session.say(line("EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<>", "DATA", ...message, "RSET", "help"));
    session.say(line("MAIL FROM:<a@b>", "DATA", ...message, "help"));
    const heard = session.steps.filter((step) => step.kind === "heard").map((step) => step.line);
    expect(heard).toEqual([
      ...["EHLO me", "MAIL FROM:<a@b>", "RCPT TO:<>", "DATA"],
      ...Array(4).fill("(no command: perhaps of the message that was refused)"),
      ...["RSET", "help", "MAIL FROM:<a@b>", "DATA", "help"],
    ]);
  });
});
