import { describe, expect, test } from "vitest";
import { base64, drive, ehlo, line } from "../../../test/smtp-driver.ts";

describe("AUTH", () => {
  const signedIn = (...lines: string[]) => {
    const session = drive();
    ehlo(session);
    const answers = lines.map((each) => session.send(`${each}\r\n`));
    return { session, answers };
  };

  test.each([
    [[`AUTH PLAIN ${base64("\0me\0right")}`], "PLAIN"],
    [["AUTH PLAIN", base64("\0me\0right")], "PLAIN"],
    [["auth login", base64("me"), base64("right")], "LOGIN"],
    [[`AUTH LOGIN ${base64("me")}`, base64("right")], "LOGIN"],
    [["AUTH CRAM-MD5", base64("me 0123456789abcdef0123456789abcdef")], "CRAM-MD5"],
    [[`AUTH EXTERNAL ${base64("me")}`], "EXTERNAL"],
  ])("%j sets the user of the message", (lines, mechanism) => {
    const { session, answers } = signedIn(...lines);
    expect(answers.at(-1)).toBe("235 Authentication successful\r\n");
    expect(session.signIns[0]).toMatchObject({ mechanism, user: "me" });
    session.send(line("MAIL FROM:<a@b>", "DATA", "."));
    expect(session.messages[0]?.envelope.user).toBe("me");
  });

  test("sends its prompts in base64", () => {
    expect(signedIn("AUTH PLAIN").answers).toEqual(["334 \r\n"]);
    expect(signedIn("AUTH LOGIN", base64("me")).answers).toEqual([
      "334 VXNlcm5hbWU6\r\n",
      "334 UGFzc3dvcmQ6\r\n",
    ]);
    expect(signedIn("AUTH CRAM-MD5").answers).toEqual([`334 ${base64("<1@mailhog.example>")}\r\n`]);
  });

  test.each([
    [["AUTH PLAIN", "*"], "501 Authentication cancelled"],
    [[`AUTH PLAIN ${base64("me")}`], "550 Badly formed parameter"],
    [["AUTH CRAM-MD5", base64("me")], "550 Badly formed parameter"],
    [["AUTH NTLM"], "504 Unsupported authentication mechanism"],
    [["AUTH constructor"], "504 Unsupported authentication mechanism"],
    [[`AUTH PLAIN ${base64("\0me\0wrong")}`], "535 Authentication failed"],
    [["MAIL FROM:<a@b>", "AUTH PLAIN"], "500 Unrecognised command"],
  ])("%j ends with %j", (lines, answer) => {
    expect(signedIn(...lines).answers.at(-1)).toBe(`${answer}\r\n`);
  });

  test("keeps credentials out of the transcript", () => {
    const secret = base64("\0me\0right");
    const { session } = signedIn(
      `AUTH PLAIN ${secret}`,
      "AUTH PLAIN",
      secret,
      `AUTH ${secret}`,
      secret,
      "AUTH LOGIN",
      secret,
      secret,
    );
    const received = session.steps.filter((step) => step.kind === "received").map((step) => step.line);
    expect(received).toContain("AUTH PLAIN (secret)");
    expect(received.join()).not.toContain(secret);
  });

  const strict = { mechanisms: ["PLAIN"], required: true, withoutTls: false, challenge: () => "" } as const;

  test("rejects MAIL without AUTH, and EXTERNAL, if authentication is required", () => {
    const session = drive({ signIn: { ...strict, withoutTls: true } });
    ehlo(session);
    expect(session.send(line("MAIL FROM:<a@b>", "AUTH EXTERNAL eA==", "AUTH LOGIN"))).toBe(
      line("530 Authentication required", ...Array(2).fill("504 Unsupported authentication mechanism")),
    );
  });

  test("is neither offered nor accepted without TLS if it requires TLS", () => {
    const session = drive({ signIn: strict, startTls: true });
    expect(ehlo(session)).not.toContain("AUTH");
    expect(session.send(`AUTH PLAIN ${base64("\0me\0right")}\r\n`)).toMatch(/^538 /);
  });

  const receivedIn = (session: ReturnType<typeof drive>) =>
    session.steps.filter((step) => step.kind === "received").map((step) => step.line);

  test("keeps passwords out of the transcript when a client ignores a rejected AUTH", () => {
    const session = drive({ signIn: strict, startTls: true });
    session.send(line("EHLO me", "AUTH LOGIN", base64("me"), base64("right"), "NOOP", "help"));
    expect(receivedIn(session)).toEqual([
      ...["EHLO me", "AUTH LOGIN (secret)", "(secret)", "(secret)"],
      ...["NOOP", "help"],
    ]);
  });

  test.each([
    `AUTHPLAIN ${base64("\0me\0right")}`,
    `auth:login ${base64("me")}`,
    `AUTH=PLAIN ${base64("me")}`,
  ])("%j is not AUTH, but its secret is not in the transcript", (almost) => {
    const session = drive();
    session.send(line("EHLO me", almost, base64("right"), "NOOP"));
    expect(receivedIn(session)).toEqual(["EHLO me", "AUTH (secret)", "(secret)", "NOOP"]);
  });

  test("too many wrong passwords end the session", () => {
    const session = drive();
    ehlo(session);
    const wrong = `AUTH PLAIN ${base64("\0me\0wrong")}`;
    expect(session.send(line(...Array(6).fill(wrong)))).toBe(
      line(...Array(5).fill("535 Authentication failed"), "421 Too many errors, closing"),
    );
    expect(session.isClosed()).toBe(true);
  });
});
