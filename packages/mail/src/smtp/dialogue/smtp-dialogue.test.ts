import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64, drive, ehlo, line } from "../../../test/smtp-driver.ts";
import { smtpReply } from "./replies.ts";

describe("MailHog's dialogue", () => {
  test("greets, receives a message and closes with MailHog's wording", () => {
    const session = drive();
    expect(session.steps[0]).toEqual({
      kind: "reply",
      reply: smtpReply(220, "mailhog.example ESMTP MailHog"),
    });
    expect(session.send("EHLO me\r\n")).toBe(
      line(
        "250-Hello me",
        "250-PIPELINING",
        "250-SIZE 52428800",
        "250-8BITMIME",
        "250-SMTPUTF8",
        "250 AUTH PLAIN LOGIN CRAM-MD5",
      ),
    );
    expect(session.send("HELO me\r\n")).toBe("250 Hello me\r\n");
    expect(session.send("MAIL FROM:<a@b> SIZE=3 BODY=8BITMIME\r\n")).toBe("250 Sender a@b ok\r\n");
    expect(session.send("RCPT TO:<c@d>\r\n")).toBe("250 Recipient c@d ok\r\n");
    expect(session.send("RCPT TO:<c@d>\r\n")).toBe("250 Recipient c@d ok\r\n");
    expect(session.send("DATA\r\n")).toBe("354 End data with <CR><LF>.<CR><LF>\r\n");
    expect(session.send("Subject: x\r\n\r\nhi\r\n.\r\n")).toBe("250 Ok: queued as id-1\r\n");
    expect(session.send("RSET\r\n")).toBe("250 Ok\r\n");
    expect(session.send("NOOP\r\n")).toBe("250 Ok\r\n");
    expect(session.send("QUIT\r\n")).toBe("221 Bye\r\n");
    expect(session.isClosed()).toBe(true);
    const envelope = { from: "a@b", to: ["c@d", "c@d"], helo: "me", user: undefined };
    expect(session.messages).toEqual([{ envelope, text: "Subject: x\r\n\r\nhi\r\n" }]);
  });

  test.each([
    "VRFY a",
    "HELP",
    "EXPN a",
    "STARTTLS",
    "",
    "toString",
    "MAIL FROM:<a@b>",
    "DATA",
    "AUTH PLAIN",
  ])("%j is unrecognized before a greeting", (command) => {
    expect(drive().send(`${command}\r\n`)).toBe("500 Unrecognised command\r\n");
  });

  test("parses commands with many blanks in linear time", () => {
    const session = drive();
    const blanks = `NOOP x${" ".repeat(4000)}y\r\n`;
    const spaced = ` \t MAIL${" ".repeat(2000)}FROM:<a@b>${" ".repeat(1000)} \t\r\n`;
    for (let n = 0; n < 2000; n++) expect(session.send(blanks)).toBe("250 Ok\r\n");
    ehlo(session);
    expect(session.send(spaced)).toBe("250 Sender a@b ok\r\n");
  });

  test("accepts MAIL after a RSET without a greeting", () => {
    const session = drive();
    expect(session.send(line("RSET", "MAIL FROM:<a@b>"))).toBe(line("250 Ok", "250 Sender a@b ok"));
  });

  test("a second MAIL, and RCPT or DATA without one, are unrecognized", () => {
    const session = drive();
    ehlo(session);
    expect(session.send(line("RCPT TO:<a@b>", "DATA"))).toBe(
      line(...Array(2).fill("500 Unrecognised command")),
    );
    expect(session.send(line("MAIL FROM:<a@b>", "MAIL FROM:<a@b>"))).toBe(
      line("250 Sender a@b ok", "500 Unrecognised command"),
    );
  });

  test.each([
    ["MAIL FROM:", "550 Invalid syntax in MAIL command"],
    ["MAIL a@b", "550 Invalid syntax in MAIL command"],
    ["MAIL TO:<a@b>", "550 Invalid syntax in MAIL command"],
    ["MAIL FROM:<a@b", "550 Invalid syntax in MAIL command"],
    ["MAIL FROM:<a\0b@c>", "550 Invalid syntax in MAIL command"],
    ["MAIL FROM:<a\rb@c>", "550 Invalid syntax in MAIL command"],
    ["MAIL FROM:a@b", "250 Sender a@b ok"],
    ["MAIL FROM: a@b SIZE=1", "250 Sender a@b ok"],
    ["MAIL FROM:<a@b> SIZE=many", "250 Sender a@b ok"],
    ["MAIL FROM:<a@b>SIZE=1", "250 Sender a@b ok"],
    ["MAIL FROM:<a@b>>", "250 Sender a@b ok"],
    ["MAIL FROM:<<a@b>>", "250 Sender a@b ok"],
    ['MAIL FROM:"Ann <x> Lee" <a@b> SIZE=10', "250 Sender a@b ok"],
    ["MAIL FROM: Ann Lee <a@b>", "250 Sender a@b ok"],
    ["MAIL FROM:Ann<a@b>", "250 Sender a@b ok"],
    ["MAIL FROM:a@b X=<c@d>", "250 Sender a@b ok"],
    ["MAIL the sender is FROM:<a@b>", "250 Sender a@b ok"],
    [`MAIL FROM:<${"a".repeat(513)}>`, "550 Invalid syntax in MAIL command"],
    ["mail from: <a@b>", "250 Sender a@b ok"],
    ["MAIL FROM:<>", "250 Sender <> ok"],
    ['MAIL FROM:<"a>b"@c>', '250 Sender "a>b"@c ok'],
    ["MAIL FROM:<@x,@y:a@b>", "250 Sender @x,@y:a@b ok"],
    ["MAIL FROM:<a@b> SIZE=52428801", "552 Message exceeds the maximum size"],
    ["MAIL FROM:<a@b> SIZE=52428800", "250 Sender a@b ok"],
    ["MAIL FROM:<a@b> SOMETHING=else", "250 Sender a@b ok"],
  ])("%j is answered %j", (command, answer) => {
    const session = drive();
    ehlo(session);
    expect(session.send(`${command}\r\n`)).toBe(`${answer}\r\n`);
  });

  test("rejects an empty recipient", () => {
    const session = drive();
    ehlo(session);
    session.send("MAIL FROM:<a@b>\r\n");
    expect(session.send(line("RCPT TO:<>", "RCPT TO:", "RCPT TO:c@d", "RCPT TO:<test>"))).toBe(
      line(
        "550 Invalid syntax in RCPT command",
        "550 Invalid syntax in RCPT command",
        "250 Recipient c@d ok",
        "250 Recipient test ok",
      ),
    );
  });

  test("keeps addresses in UTF-8", () => {
    const session = drive();
    ehlo(session);
    session.send(
      Buffer.from("MAIL FROM:<jörg@müller.example> SMTPUTF8\r\nRCPT TO:<用户@例え>\r\nDATA\r\n.\r\n"),
    );
    expect(session.messages[0]?.envelope).toMatchObject({ from: "jörg@müller.example", to: ["用户@例え"] });
  });

  test("reads addresses that are not UTF-8 as Latin-1", () => {
    const session = drive();
    ehlo(session);
    session.send(line("MAIL FROM:<j\xf6rg@x.example>", "RCPT TO:\xff@x.example", "DATA", "."));
    expect(session.messages[0]?.envelope).toMatchObject({ from: "jörg@x.example", to: ["ÿ@x.example"] });
  });

  test("accepts DATA without RCPT, as MailHog does, but not if every RCPT was rejected", () => {
    const session = drive();
    ehlo(session);
    session.send(line("MAIL FROM:<a@b>", "DATA", "."));
    expect(session.messages).toHaveLength(1);
    expect(session.send(line("MAIL FROM:<a@b>", "RCPT TO:<>", "DATA"))).toContain("554 No valid recipients");
  });

  test("keeps the client's name for every message of a session", () => {
    const session = drive();
    ehlo(session);
    for (let at = 0; at < 2; at++)
      session.send(line("RSET", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA", "."));
    expect(session.messages.map(({ envelope }) => envelope.helo)).toEqual(["me", "me"]);
  });
});

describe("pipelining", () => {
  const all = line(
    "EHLO me",
    "MAIL FROM:<a@b>",
    "RCPT TO:<c@d>",
    "DATA",
    "hi",
    ".",
    "NOOP",
    "nonsense",
    "QUIT",
  );
  const codes = (said: string) => said.match(/^\d{3} /gm)?.map(Number);

  test("answers pipelined commands in order, even after a message, and byte by byte", () => {
    expect(codes(drive().send(all))).toEqual([250, 250, 250, 354, 250, 250, 500, 221]);
    expect(codes(drive().sendByByte(all))).toEqual([250, 250, 250, 354, 250, 250, 500, 221]);
  });

  test("sends no reply after QUIT", () => {
    expect(drive().send(line("QUIT", "NOOP"))).toBe("221 Bye\r\n");
  });
});

test("STARTTLS discards everything before it, including pipelined commands", () => {
  const session = drive({ startTls: true });
  expect(ehlo(session)).toContain("250-STARTTLS\r\n");
  session.send(`AUTH PLAIN ${base64("\0me\0right")}\r\n`);
  expect(session.send("STARTTLS\r\nEHLO evil\r\nMAIL FROM:<evil@x>\r\n")).toBe("220 Ready to start TLS\r\n");
  expect(session.steps.at(-2)).toEqual({ kind: "upgrade" });
  expect(session.send("MAIL FROM:<a@b>\r\n")).toBe("500 Unrecognised command\r\n");
  expect(ehlo(session)).not.toContain("STARTTLS");
  expect(session.send("STARTTLS\r\n")).toBe("500 Unrecognised command\r\n");
  session.send(line("MAIL FROM:<a@b>", "DATA", "."));
  expect(session.messages[0]?.envelope.user).toBeUndefined();
});

describe("limits", () => {
  test("rejects a command line that is too long, and processes the next one", () => {
    const session = drive({ limits: { commandLineBytes: 20 } });
    expect(session.send(`NOOP ${"x".repeat(13)}\r\n`)).toBe("250 Ok\r\n");
    expect(session.send(`NOOP ${"x".repeat(14)}\r\n`)).toBe("500 Line too long\r\n");
    expect(session.sendByByte(`NOOP ${"x".repeat(200)}\r\nNOOP\r\n`)).toBe(
      line("500 Line too long", "250 Ok"),
    );
  });

  test("rejects a command that ends with LF alone", () => {
    expect(drive().send("NOOP\nNOOP\r\n")).toBe(line("500 Lines must end with CR LF", "250 Ok"));
  });

  test("accepts the first 1,000 of 1,100 recipients, and does not count the others as faults", () => {
    const session = drive();
    ehlo(session);
    const recipients = Array.from({ length: 1100 }, (_, n) => `RCPT TO:<r${n}@d>`);
    const said = session.send(line("MAIL FROM:<a@b>", ...recipients, "DATA"));
    expect(said.match(/^452 /gm)).toHaveLength(100);
    expect(session.send("Subject: x\r\n\r\nhi\r\n.\r\n")).toBe("250 Ok: queued as id-1\r\n");
    expect(session.messages[0]?.envelope.to).toHaveLength(1000);
  });

  test("rejects recipients beyond the limit temporarily", () => {
    const session = drive({ limits: { recipients: 2 } });
    ehlo(session);
    const said = session.send(line("MAIL FROM:<a@b>", ...Array(3).fill("RCPT TO:<c@d>"), "DATA", "."));
    expect(said).toContain("452 Too many recipients");
    expect(session.messages[0]?.envelope.to).toHaveLength(2);
  });

  test("too many faults or commands end the session; a stored message resets the counts", () => {
    const faulty = drive({ limits: { faults: 3 } });
    ehlo(faulty);
    expect(faulty.send(line("x", "x", "MAIL FROM:<a@b>", "DATA", ".", "x", "x"))).not.toContain("421");
    expect(faulty.send(line("x"))).toBe(line("500 Unrecognised command", "421 Too many errors, closing"));
    expect(faulty.isClosed()).toBe(true);
    const busy = drive({ limits: { commands: 3 } });
    expect(busy.send(line("NOOP", "NOOP", "NOOP", "NOOP"))).toMatch(/250 Ok\r\n421 Too many commands/);
    expect(busy.isClosed()).toBe(true);
  });
});

describe("random bytes", () => {
  const word = fc.constantFrom(
    ...[
      "EHLO x",
      "MAIL FROM:<a@b>",
      "RCPT TO:<c@d>",
      "DATA",
      "RSET",
      "AUTH LOGIN",
      "AUTH PLAIN eA==",
      "STARTTLS",
    ],
    ...["\r\n", "\n", "\r", ".", "\r\n.\r\n", " ", "<", ">", "\0", "=", "*", "QUIT"],
  );
  const bytes = fc
    .array(fc.oneof({ weight: 4, arbitrary: word }, fc.string({ unit: "binary", maxLength: 8 })), {
      maxLength: 60,
    })
    .map((parts) => Buffer.from(parts.join(""), "latin1"));

  test("never break the dialogue, and get the same replies however they are split", () => {
    fc.assert(
      fc.property(bytes, fc.nat(7), (all, size) => {
        const options = { limits: { commandLineBytes: 64, messageBytes: 100, faults: 10_000 } };
        const whole = drive(options).send(all);
        const session = drive(options);
        let said = "";
        for (let at = 0; at < all.length; at += size + 1)
          said += session.send(all.subarray(at, at + size + 1));
        expect(said).toBe(whole);
        for (const reply of said.split("\r\n").slice(0, -1)) expect(reply).toMatch(/^[2-5]\d\d[ -]/);
      }),
      { numRuns: 1_000 },
    );
  });
});
