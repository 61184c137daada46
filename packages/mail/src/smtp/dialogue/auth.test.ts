import { describe, expect, test } from "vitest";
import { base64, ehlo, line, play } from "../../../test/play-smtp.ts";

describe("signing in", () => {
  const signedIn = (...lines: string[]) => {
    const session = play();
    ehlo(session);
    const answers = lines.map((each) => session.say(`${each}\r\n`));
    return { session, answers };
  };

  test.each([
    [[`AUTH PLAIN ${base64("\0me\0right")}`], "PLAIN"],
    [["AUTH PLAIN", base64("\0me\0right")], "PLAIN"],
    [["auth login", base64("me"), base64("right")], "LOGIN"],
    [[`AUTH LOGIN ${base64("me")}`, base64("right")], "LOGIN"],
    [["AUTH CRAM-MD5", base64("me 0123456789abcdef0123456789abcdef")], "CRAM-MD5"],
    [[`AUTH EXTERNAL ${base64("me")}`], "EXTERNAL"],
  ])("%j gives the name to the message", (lines, mechanism) => {
    const { session, answers } = signedIn(...lines);
    expect(answers.at(-1)).toBe("235 Authentication successful\r\n");
    expect(session.signIns[0]).toMatchObject({ mechanism, user: "me" });
    session.say(line("MAIL FROM:<a@b>", "DATA", "."));
    expect(session.messages[0]?.envelope.user).toBe("me");
  });

  test("asks in base64 as the mechanisms want it", () => {
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

  test("credentials are not in the transcript", () => {
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
    const heard = session.steps.filter((step) => step.kind === "heard").map((step) => step.line);
    expect(heard).toContain("AUTH PLAIN (secret)");
    expect(heard.join()).not.toContain(secret);
  });

  const strict = { mechanisms: ["PLAIN"], required: true, withoutTls: false, challenge: () => "" } as const;

  test("where it is required, MAIL without it is refused, and so is EXTERNAL", () => {
    const session = play({ signIn: { ...strict, withoutTls: true } });
    ehlo(session);
    expect(session.say(line("MAIL FROM:<a@b>", "AUTH EXTERNAL eA==", "AUTH LOGIN"))).toBe(
      line("530 Authentication required", ...Array(2).fill("504 Unsupported authentication mechanism")),
    );
  });

  test("is neither offered nor accepted without TLS if it needs TLS", () => {
    const session = play({ signIn: strict, startTls: true });
    expect(ehlo(session)).not.toContain("AUTH");
    expect(session.say(`AUTH PLAIN ${base64("\0me\0right")}\r\n`)).toMatch(/^538 /);
  });

  const heardIn = (session: ReturnType<typeof play>) =>
    session.steps.filter((step) => step.kind === "heard").map((step) => step.line);

  test("a client that ignores the refusal of AUTH does not leak its password into the transcript", () => {
    const session = play({ signIn: strict, startTls: true });
    session.say(line("EHLO me", "AUTH LOGIN", base64("me"), base64("right"), "NOOP", "help"));
    expect(heardIn(session)).toEqual([
      ...["EHLO me", "AUTH LOGIN (secret)", "(secret)", "(secret)"],
      ...["NOOP", "help"],
    ]);
  });

  test.each([
    `AUTHPLAIN ${base64("\0me\0right")}`,
    `auth:login ${base64("me")}`,
    `AUTH=PLAIN ${base64("me")}`,
  ])("%j is no AUTH, but what it shows is not shown on", (almost) => {
    const session = play();
    session.say(line("EHLO me", almost, base64("right"), "NOOP"));
    expect(heardIn(session)).toEqual(["EHLO me", "AUTH (secret)", "(secret)", "NOOP"]);
  });

  test("too many wrong passwords end the session", () => {
    const session = play();
    ehlo(session);
    const wrong = `AUTH PLAIN ${base64("\0me\0wrong")}`;
    expect(session.say(line(...Array(6).fill(wrong)))).toBe(
      line(...Array(5).fill("535 Authentication failed"), "421 Too many errors, closing"),
    );
    expect(session.isClosed()).toBe(true);
  });
});
