import type { Envelope } from "../src/model/message.ts";
import { formatReply } from "../src/smtp/dialogue/replies.ts";
import { smtpDialogue } from "../src/smtp/dialogue/smtp-dialogue.ts";
import type { SmtpSessionOptions } from "../src/smtp/dialogue/smtp-state.ts";
import type { SignIn, SmtpAnswer, SmtpStep } from "../src/smtp/dialogue/smtp-step.ts";
import { defaultSmtpLimits, type SmtpLimits } from "../src/smtp/smtp-limits.ts";

type Wanted = Omit<Partial<SmtpSessionOptions>, "limits"> & { readonly limits?: Partial<SmtpLimits> };

/** Drives a dialogue as a server does: stores every message, and accepts only the password `right`. */
export function drive(
  wanted: Wanted = {},
  answerTo: (step: SmtpStep) => SmtpAnswer | undefined = () => undefined,
) {
  const dialogue = smtpDialogue({
    hostname: "mailhog.example",
    software: "MailHog",
    signIn: {
      mechanisms: ["PLAIN", "LOGIN", "CRAM-MD5"],
      required: false,
      withoutTls: true,
      challenge: () => "<1@mailhog.example>",
    },
    startTls: false,
    secure: false,
    ...wanted,
    limits: { ...defaultSmtpLimits, ...wanted.limits },
  });
  let replies = "";
  let content: Uint8Array[] = [];
  const messages: { envelope: Envelope; text: string }[] = [];
  const steps: SmtpStep[] = [];
  const signIns: SignIn[] = [];
  let envelope: Envelope | undefined;
  const act = (step: SmtpStep): SmtpAnswer | undefined => {
    if (step.kind === "reply") replies += formatReply(step.reply);
    if (step.kind === "begin") [envelope, content] = [step.envelope, []];
    if (step.kind === "content") content.push(Uint8Array.from(step.bytes));
    if (step.kind === "sign-in") signIns.push(step.signIn);
    const own = answerTo(step);
    if (own !== undefined) return own;
    if (step.kind === "sign-in") {
      const password = "password" in step.signIn ? step.signIn.password : "right";
      return { kind: password === "right" ? "granted" : "denied" };
    }
    if (step.kind !== "commit" || envelope === undefined) return undefined;
    messages.push({ envelope, text: Buffer.concat(content).toString("latin1") });
    return { kind: "stored", id: `id-${messages.length}` };
  };
  const run = () => {
    let answer: SmtpAnswer | undefined;
    while (true) {
      const step = dialogue.next(answer);
      steps.push(step);
      if (step.kind === "more" || step.kind === "close") return step.kind;
      answer = act(step);
    }
  };
  run();
  replies = "";
  return {
    messages,
    steps,
    signIns,
    /** Sends bytes and returns the replies. */
    send(bytes: string | Uint8Array): string {
      replies = "";
      dialogue.feed(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
      run();
      return replies;
    },
    /** Does the same byte by byte. */
    sendByByte(text: string): string {
      return [...Buffer.from(text, "latin1")].map((byte) => this.send(Uint8Array.of(byte))).join("");
    },
    isClosed: () => run() === "close",
  };
}

export const line = (...lines: string[]) => lines.map((each) => `${each}\r\n`).join("");
export const ehlo = (session: ReturnType<typeof drive>) => session.send("EHLO me\r\n");
export const base64 = (text: string) => Buffer.from(text).toString("base64");
