import { isTablekeepError, type TablekeepError } from "@tablekeep/core";

/** MailHog's wording where MailHog has one, because scripts and tests match it. */
export const replies = {
  ok: { code: 250, lines: ["Ok"] },
  bye: { code: 221, lines: ["Bye"] },
  unrecognized: { code: 500, lines: ["Unrecognised command"] },
  lineTooLong: { code: 500, lines: ["Line too long"] },
  lineEnd: { code: 500, lines: ["Lines must end with CR LF"] },
  startTls: { code: 220, lines: ["Ready to start TLS"] },
  startData: { code: 354, lines: ["End data with <CR><LF>.<CR><LF>"] },
  invalidMail: { code: 550, lines: ["Invalid syntax in MAIL command"] },
  invalidRcpt: { code: 550, lines: ["Invalid syntax in RCPT command"] },
  noRecipients: { code: 554, lines: ["No valid recipients"] },
  // RFC 5321, 4.5.3.1.10: temporary, because the same recipient is accepted in the next message.
  tooManyRecipients: { code: 452, lines: ["Too many recipients: send the message again to the others"] },
  tooLarge: { code: 552, lines: ["Message exceeds the maximum size"] },
  dataLineTooLong: { code: 554, lines: ["A line of the message is too long"] },
  authNeeded: { code: 530, lines: ["Authentication required"] },
  authNeedsTls: { code: 538, lines: ["Encryption required for authentication"] },
  authOk: { code: 235, lines: ["Authentication successful"] },
  authFailed: { code: 535, lines: ["Authentication failed"] },
  authCancelled: { code: 501, lines: ["Authentication cancelled"] },
  authMalformed: { code: 550, lines: ["Badly formed parameter"] },
  authUnsupported: { code: 504, lines: ["Unsupported authentication mechanism"] },
  authContinue: { code: 334, lines: [""] },
  authUser: { code: 334, lines: ["VXNlcm5hbWU6"] },
  authPassword: { code: 334, lines: ["UGFzc3dvcmQ6"] },
  // Replies of the strict mode, with the codes of RFC 5321 and RFC 6531.
  syntaxError: { code: 501, lines: ["Syntax error in parameters or arguments"] },
  notImplemented: { code: 502, lines: ["Command not implemented"] },
  badSequence: { code: 503, lines: ["Bad sequence of commands"] },
  needsUtf8: { code: 553, lines: ["Address with non-ASCII characters requires SMTPUTF8"] },
  needsEightBit: { code: 554, lines: ["Message with non-ASCII characters requires BODY=8BITMIME"] },
  bareLineEnd: { code: 554, lines: ["Lines of the message must end with CR LF"] },
  unknownParameter: { code: 555, lines: ["Parameter not recognized or not implemented"] },
  help: { code: 214, lines: ["EHLO HELO MAIL RCPT DATA RSET NOOP QUIT VRFY AUTH STARTTLS HELP"] },
  cannotVerify: { code: 252, lines: ["Cannot VRFY user, but will accept message"] },
  tooManyFaults: { code: 421, lines: ["Too many errors, closing"] },
  tooManyCommands: { code: 421, lines: ["Too many commands without a message, closing"] },
  greeting: (hostname: string, software: string): SmtpReply =>
    smtpReply(220, `${hostname} ESMTP ${software}`),
  hello: (name: string, ...extensions: string[]): SmtpReply => smtpReply(250, `Hello ${name}`, ...extensions),
  sender: (address: string): SmtpReply => smtpReply(250, `Sender ${address || "<>"} ok`),
  recipient: (address: string): SmtpReply => smtpReply(250, `Recipient ${address} ok`),
  invalidSender: (address: string): SmtpReply => smtpReply(550, `Invalid sender ${address || "<>"}`),
  invalidRecipient: (address: string): SmtpReply => smtpReply(550, `Invalid recipient ${address}`),
  queued: (id: string): SmtpReply => smtpReply(250, `Ok: queued as ${id}`),
} as const;

/** A reply of an SMTP server: a code and at least one line of text. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly [string, ...string[]];
}

/**
 * Creates a reply.
 *
 * @example
 * socket.write(formatReply(smtpReply(421, "Service shutting down")));
 */
export function smtpReply(code: number, ...lines: [string, ...string[]]): SmtpReply {
  return { code, lines };
}

/**
 * Formats a reply for the wire: every line but the last has a hyphen after the code.
 *
 * @example
 * formatReply(smtpReply(250, "Hello client", "SIZE 1000")); // "250-Hello client\r\n250 SIZE 1000\r\n"
 */
export function formatReply({ code, lines }: SmtpReply): string {
  const last = lines.length - 1;
  return lines.map((line, at) => `${code}${at === last ? " " : "-"}${printable(line)}\r\n`).join("");
}

/** Replaces control characters: replies repeat the client's input, which must not end a line or control a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "?");
}

/** A message that a receiver rejects on purpose, with this reply. */
export class SmtpRejection extends Error {
  readonly reply: SmtpReply;

  constructor(reply: SmtpReply) {
    super(`rejected with ${reply.code} ${reply.lines[0]}`);
    this.name = "SmtpRejection";
    this.reply = reply;
  }
}

const tryLater = smtpReply(451, "Unable to store message, try again later");
const storeFull = smtpReply(452, "Unable to store message, insufficient storage");
const permanentFailure = smtpReply(554, "Unable to store message");

/**
 * Returns the reply for a message that could not be stored: 4xx, which makes clients retry for days, only if a retry may
 * succeed.
 *
 * @example
 * const failed = (error: unknown) => dialogue.next({ kind: "failed", reply: storeFailureReply(error) });
 */
export function storeFailureReply(error: unknown): SmtpReply {
  if (error instanceof SmtpRejection) return error.reply;
  if (!isTablekeepError(error)) return permanentFailure;
  // The message may be stored. A duplicate is better than a lost message.
  if (error.ambiguous) return tryLater;
  if (error.code === "MAIL_STORE_FULL") return storeFull;
  return replyOfKind(error);
}

function replyOfKind({ kind }: TablekeepError): SmtpReply {
  switch (kind) {
    case "limit":
      return replies.tooLarge;
    case "throttled":
    case "unavailable":
    case "conflict":
    case "closed":
    case "aborted":
      return tryLater;
    default:
      return permanentFailure;
  }
}
