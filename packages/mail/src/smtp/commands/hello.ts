import { replies } from "../replies.ts";
import { reply, type SmtpSession } from "../smtp-session.ts";
import type { SmtpSteps } from "../smtp-step.ts";

export function* hello(session: SmtpSession, name: string): SmtpSteps {
  greet(session, name);
  yield* reply(session, replies.hello(name));
}

export function* extendedHello(session: SmtpSession, name: string): SmtpSteps {
  greet(session, name);
  yield* reply(session, replies.hello(name, ...extensionsOf(session)));
}

/** RFC 5321, 4.1.4: a greeting also does what RSET does. */
function greet(session: SmtpSession, name: string): void {
  session.helo = name;
  session.draft = undefined;
}

function extensionsOf({ options, secure }: SmtpSession): string[] {
  const { limits, signIn, startTls } = options;
  const lines = ["PIPELINING", `SIZE ${limits.messageBytes}`, "8BITMIME", "SMTPUTF8"];
  if (startTls && !secure) lines.push("STARTTLS");
  if (secure || signIn.withoutTls) lines.push(`AUTH ${signIn.mechanisms.join(" ")}`);
  return lines;
}
