import { describe, expect, test } from "vitest";
import { base64, drive, ehlo, line } from "../../../test/smtp-driver.ts";

const codes = (said: string) => said.match(/^\d{3}(?= )/gm)?.map(Number) ?? [];

/** Sends commands to a strict session, and returns the reply codes. */
function answers(...commands: string[]): number[] {
  const session = drive({ strict: true });
  return codes(session.send(Buffer.from(line(...commands))));
}

const after = (...commands: string[]) => answers("EHLO me.example", ...commands).slice(1);

describe("the strict mode", () => {
  test("receives a message", () => {
    const session = drive({ strict: true });
    expect(
      codes(
        session.send(
          line(
            "EHLO me.example",
            "MAIL FROM:<a@b.example> SIZE=10 BODY=8BITMIME",
            "RCPT TO:<Postmaster>",
            "RCPT TO:<c@d.example>",
            "DATA",
            "hi",
            ".",
            "QUIT",
          ),
        ),
      ),
    ).toEqual([250, 250, 250, 250, 354, 250, 221]);
    expect(session.messages[0]?.envelope).toMatchObject({
      from: "a@b.example",
      to: ["Postmaster", "c@d.example"],
    });
  });

  test.each([
    "a@b",
    "a.b+c@d-e.example",
    '"a b"@c.example',
    '"a>b\\""@c.example',
    "a@[127.0.0.1]",
    "a@[IPv6:::1]",
    "@x.example,@y.example:a@b",
    `${"a".repeat(64)}@b`,
    "",
  ])("accepts the sender %j", (address) => {
    expect(after(`MAIL FROM:<${address}>`)).toEqual([250]);
  });

  test.each([
    "a",
    "@b",
    "a@",
    ".a@b",
    "a..b@c",
    "a b@c",
    "a@b_c",
    "a@-b",
    "a@b..c",
    "a@[300.0.0.1]",
    "a@[IPv6:x]",
    "a@b>",
    `${"a".repeat(65)}@b`,
    `a@${"b".repeat(256)}`,
    `a@${"b".repeat(64)}.example`,
  ])("answers 501 to the sender %j", (address) => {
    expect(after(`MAIL FROM:<${address}>`)).toEqual([501]);
  });

  test.each([
    ["MAIL FROM:a@b", 501],
    ["MAIL FROM: <a@b>", 501],
    ["MAIL <a@b>", 501],
    ["MAIL TO:<a@b>", 501],
    ["MAIL FROM:<<a@b>>", 501],
    ["MAIL FROM:<a@b>SIZE=1", 501],
    ["MAIL FROM:<a@b> SIZE=abc", 501],
    ["MAIL FROM:<a@b> SIZE=52428801", 552],
    ["MAIL FROM:<a@b> BODY=9BIT", 501],
    ["MAIL FROM:<a@b> SMTPUTF8=yes", 501],
    ["MAIL FROM:<a@b> SOMETHING=else", 555],
    ["MAIL FROM:<jörg@x.example>", 553],
    ["MAIL FROM:<jörg@müller.example> SMTPUTF8", 250],
    ["mail from:<a@b> size=1", 250],
    ["DATA", 503],
    ["RCPT TO:<a@b>", 503],
    ["VRFY a", 252],
    ["EXPN a", 502],
    ["HELP", 214],
    ["NOOP anything", 250],
    ["NOOP ", 250],
    [" NOOP", 500],
    ["RSET now", 501],
    ["QUIT now", 501],
    ["STARTTLS", 503],
    ["HELLO", 500],
    [`AUTH PLAIN ${base64("x")}`, 501],
  ])("answers %j with %i", (command, code) => {
    expect(after(command)).toEqual([code]);
  });

  test.each([
    ["RCPT TO:<>", 501],
    ["RCPT TO:c@d", 501],
    ["RCPT TO:<c>", 501],
    ["RCPT TO:<c@d> NOTIFY=NEVER", 555],
    ["RCPT TO:<jörg@x.example>", 553],
    ["MAIL FROM:<a@b>", 503],
    ["DATA", 503],
    ["DATA now", 501],
  ])("answers %j with %i after MAIL", (command, code) => {
    expect(after("MAIL FROM:<a@b>", command)).toEqual([250, code]);
  });

  test("answers 501 to an address that is not UTF-8", () => {
    const session = drive({ strict: true });
    ehlo(session);
    expect(codes(session.send("MAIL FROM:<j\xf6rg@x.example> SMTPUTF8\r\n"))).toEqual([501]);
  });

  test("requires a greeting with a name before other commands, even after RSET", () => {
    expect(answers("MAIL FROM:<a@b>", "RSET", "MAIL FROM:<a@b>", "AUTH PLAIN")).toEqual([503, 250, 503, 503]);
    expect(answers("EHLO", "HELO", "EHLO a b", "HELO [127.0.0.1]")).toEqual([501, 501, 501, 250]);
  });

  test("accepts no parameters after HELO", () => {
    expect(answers("HELO me", "MAIL FROM:<a@b> SIZE=1", "MAIL FROM:<a@b>")).toEqual([250, 555, 250]);
  });

  test.each([
    ["hi\r\nthere\r\n", "", 250],
    ["..hi\r\n", "", 250],
    ["\r\n", "", 250],
    ["", "", 250],
    ["hi\nthere\r\n", "", 554],
    ["hi\rthere\r\n", "", 554],
    ["hi\r\r\n", "", 554],
    ["\nhi\r\n", "", 554],
    ["hi\n.\nMAIL FROM:<x@y>\r\n", "", 554],
    [`${"x".repeat(998)}\r\n`, "", 250],
    [`..${"x".repeat(997)}\r\n`, "", 250],
    [`${"x".repeat(999)}\r\n`, "", 554],
    ["h\xe9\r\n", "", 554],
    ["h\xe9\r\n", " BODY=7BIT", 554],
    ["h\xe9\r\n", " BODY=8bitmime", 250],
    ["h\xc3\xa9\r\n", " SMTPUTF8", 250],
  ])("after the message %j, with the parameters %j, answers %i", (content, parameters, code) => {
    for (const send of ["send", "sendByByte"] as const) {
      const session = drive({ strict: true });
      session.send(line("EHLO me.example", `MAIL FROM:<a@b>${parameters}`, "RCPT TO:<c@d>", "DATA"));
      expect(codes(session[send](`${content}.\r\n`))).toEqual([code]);
      expect(session.messages).toHaveLength(code === 250 ? 1 : 0);
      expect(codes(session.send("NOOP\r\n"))).toEqual([250]);
    }
  });

  test("accepts one AUTH in a session", () => {
    const plain = `AUTH PLAIN ${base64("\0me\0right")}`;
    expect(after(plain, plain)).toEqual([235, 503]);
  });
});
