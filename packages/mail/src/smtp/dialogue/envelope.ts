import { replies } from "./replies.ts";
import { reply, type SmtpSession } from "./smtp-state.ts";
import type { SmtpSteps } from "./smtp-step.ts";

export function* mail(session: SmtpSession, text: string): SmtpSteps {
  const { options, helo, draft, user } = session;
  const { limits, signIn, chaos } = options;
  if (helo === undefined || draft !== undefined) return yield* reply(session, replies.unrecognised);
  if (signIn.required && user === undefined) return yield* reply(session, replies.authNeeded);
  const path = parsePath("FROM", text, limits.addressBytes);
  if (path === undefined) return yield* reply(session, replies.invalidMail);
  const size = path.parameters.get("SIZE") ?? "0";
  if (!/^\d{1,20}$/.test(size)) return yield* reply(session, replies.invalidMail);
  if (Number(size) > limits.messageBytes) return yield* reply(session, replies.tooLarge);
  if (chaos?.rejectsSender()) return yield* reply(session, replies.invalidSender(path.address));
  session.draft = { from: path.address, to: [], rejectedRecipients: 0 };
  yield* reply(session, replies.sender(path.address));
}

export function* rcpt(session: SmtpSession, text: string): SmtpSteps {
  const { draft, options } = session;
  if (draft === undefined) return yield* reply(session, replies.unrecognised);
  const path = parsePath("TO", text, options.limits.addressBytes);
  const rejection =
    path === undefined || path.address === ""
      ? replies.invalidRcpt
      : draft.to.length >= options.limits.recipients
        ? replies.tooManyRecipients
        : options.chaos?.rejectsRecipient()
          ? replies.invalidRecipient(path.address)
          : undefined;
  if (rejection !== undefined) {
    draft.rejectedRecipients++;
    return yield* reply(session, rejection);
  }
  if (path === undefined) return;
  draft.to.push(path.address);
  yield* reply(session, replies.recipient(path.address));
}

export function* hello(session: SmtpSession, name: string): SmtpSteps {
  greet(session, name);
  yield* reply(session, replies.hello(name));
}

export function* extendedHello(session: SmtpSession, name: string): SmtpSteps {
  greet(session, name);
  yield* reply(session, replies.hello(name, ...extensionsOf(session)));
}

/** RFC 5321, 4.1.4: HELO and EHLO also reset the session. */
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

/** An address in angle brackets with the parameters after it. */
export interface SmtpPath {
  readonly address: string;
  /** Names in capitals. A parameter without a value has the value "". */
  readonly parameters: ReadonlyMap<string, string>;
}

/** `FROM:` or `TO:`, an address in angle brackets, which may contain a quoted string, and parameters. */
const pathPattern = /^(FROM|TO):\s*<((?:"(?:[^"\\]|\\.)*"|[^">])*)>(?:\s+(.*))?$/i;

/** Control characters, and the replacement character of invalid UTF-8. */
const forbidden = /[\p{Cc}\ufffd]/u;

/** Parses the argument of MAIL or RCPT; undefined if it is not a path. */
function parsePath(keyword: "FROM" | "TO", text: string, addressBytes: number): SmtpPath | undefined {
  const [, found, address, rest = ""] = pathPattern.exec(text) ?? [];
  if (found?.toUpperCase() !== keyword || address === undefined) return undefined;
  if (forbidden.test(text) || Buffer.byteLength(address) > addressBytes) return undefined;
  return { address, parameters: parametersOf(rest) };
}

function parametersOf(text: string): ReadonlyMap<string, string> {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return new Map(
    words.map((word) => {
      const at = word.indexOf("=");
      return at === -1
        ? ([word.toUpperCase(), ""] as const)
        : ([word.slice(0, at).toUpperCase(), word.slice(at + 1)] as const);
    }),
  );
}
