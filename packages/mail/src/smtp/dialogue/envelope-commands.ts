import { replies, type SmtpReply } from "./replies.ts";
import { isDomain, type PathKeyword, parsePath, parseStrictPath, type SmtpPath } from "./smtp-path.ts";
import { reply, type SmtpSession } from "./smtp-state.ts";
import type { SmtpSteps } from "./smtp-step.ts";

export function* mail(session: SmtpSession, text: string): SmtpSteps {
  const { options, helo, draft, user } = session;
  const { limits, signIn, chaos } = options;
  if (helo === undefined || draft !== undefined) return yield* outOfOrder(session);
  if (signIn.required && user === undefined) return yield* reply(session, replies.authNeeded);
  const path = readPath(session, "FROM", text);
  if ("code" in path) return yield* reply(session, path);
  const size = path.parameters.get("SIZE") ?? "0";
  // A size that is not a number is ignored: the bytes are counted in any case.
  if (/^\d{1,20}$/.test(size) && Number(size) > limits.messageBytes)
    return yield* reply(session, replies.tooLarge);
  if (chaos?.rejectsSender(user)) return yield* reply(session, replies.invalidSender(path.address));
  const utf8 = path.parameters.has("SMTPUTF8");
  const eightBit = utf8 || path.parameters.get("BODY")?.toUpperCase() === "8BITMIME";
  session.draft = { from: path.address, to: [], rejectedRecipients: 0, utf8, eightBit };
  yield* reply(session, replies.sender(path.address));
}

export function* rcpt(session: SmtpSession, text: string): SmtpSteps {
  const { draft, options } = session;
  if (draft === undefined) return yield* outOfOrder(session);
  const path = readPath(session, "TO", text);
  const rejection =
    "code" in path
      ? path
      : draft.to.length >= options.limits.recipients
        ? replies.tooManyRecipients
        : options.chaos?.rejectsRecipient(session.user, path.address)
          ? replies.invalidRecipient(path.address)
          : options.rejectRecipient?.(path.address);
  if (rejection !== undefined) {
    draft.rejectedRecipients++;
    return yield* reply(session, rejection);
  }
  if ("code" in path) return;
  draft.to.push(path.address);
  yield* reply(session, replies.recipient(path.address));
}

/** A command that is not possible now. MailHog does not recognize it then. */
export function* outOfOrder(session: SmtpSession): SmtpSteps {
  yield* reply(session, session.options.strict ? replies.badSequence : replies.unrecognized);
}

function readPath(session: SmtpSession, keyword: PathKeyword, text: string): SmtpPath | SmtpReply {
  const { strict, limits } = session.options;
  if (strict) return readStrictPath(session, keyword, text);
  const path = parsePath(keyword, text, limits.addressBytes);
  const isEmptyRecipient = keyword === "TO" && path?.address === "";
  if (path !== undefined && !isEmptyRecipient) return path;
  return keyword === "FROM" ? replies.invalidMail : replies.invalidRcpt;
}

/** The parameters that MAIL accepts after EHLO. RCPT accepts none. */
const mailParameters: Readonly<Record<string, RegExp>> = {
  SIZE: /^\d{1,20}$/,
  BODY: /^(?:7BIT|8BITMIME)$/i,
  SMTPUTF8: /^$/,
  AUTH: /^[!-~]+$/,
};

function readStrictPath(session: SmtpSession, keyword: PathKeyword, text: string): SmtpPath | SmtpReply {
  const path = parseStrictPath(keyword, text);
  if (path === undefined) return replies.syntaxError;
  const known = keyword === "FROM" && session.extended ? mailParameters : {};
  for (const [name, value] of path.parameters) {
    const pattern = Object.hasOwn(known, name) ? known[name] : undefined;
    if (pattern === undefined) return replies.unknownParameter;
    if (!pattern.test(value)) return replies.syntaxError;
  }
  const utf8 = keyword === "FROM" ? path.parameters.has("SMTPUTF8") : session.draft?.utf8;
  // RFC 6531, 3.5
  return utf8 || /^[\0-\x7f]*$/.test(path.address) ? path : replies.needsUtf8;
}

export function* hello(session: SmtpSession, name: string): SmtpSteps {
  if (isWrongName(session, name)) return yield* reply(session, replies.syntaxError);
  greet(session, name, false);
  yield* reply(session, replies.hello(name));
}

export function* extendedHello(session: SmtpSession, name: string): SmtpSteps {
  if (isWrongName(session, name)) return yield* reply(session, replies.syntaxError);
  greet(session, name, true);
  yield* reply(session, replies.hello(name, ...extensionsOf(session)));
}

function isWrongName({ options }: SmtpSession, name: string): boolean {
  return options.strict === true && !isDomain(name);
}

/** RFC 5321, 4.1.4: HELO and EHLO also reset the session. */
function greet(session: SmtpSession, name: string, extended: boolean): void {
  session.helo = name;
  session.extended = extended;
  session.draft = undefined;
}

function extensionsOf({ options, secure }: SmtpSession): string[] {
  const { limits, signIn, startTls } = options;
  const lines = ["PIPELINING", `SIZE ${limits.messageBytes}`, "8BITMIME", "SMTPUTF8"];
  if (startTls && !secure) lines.push("STARTTLS");
  if (secure || signIn.withoutTls) lines.push(`AUTH ${signIn.mechanisms.join(" ")}`);
  return lines;
}
