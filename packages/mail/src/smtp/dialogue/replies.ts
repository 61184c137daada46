import { isTablekeepError, type TablekeepError } from "@tablekeep/core";

/** MailHog's wording wherever it has one: scripts and tests wait for it. */
export const replies = {
  ok: { code: 250, lines: ["Ok"] },
  bye: { code: 221, lines: ["Bye"] },
  unrecognised: { code: 500, lines: ["Unrecognised command"] },
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

/** One answer of an SMTP server: a code and at least one line of text. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly [string, ...string[]];
}

export function smtpReply(code: number, ...lines: [string, ...string[]]): SmtpReply {
  return { code, lines };
}

/** A reply as it is sent: every line but the last has a hyphen after its code. */
export function formatReply({ code, lines }: SmtpReply): string {
  const last = lines.length - 1;
  return lines.map((line, at) => `${code}${at === last ? " " : "-"}${printable(line)}\r\n`).join("");
}

/** Replies repeat input of the client, which must not end a line or reach a terminal as a control character. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "?");
}

const tryLater = smtpReply(451, "Unable to store message, try again later");
const noRoom = smtpReply(452, "Unable to store message, no room left for now");
const never = smtpReply(554, "Unable to store message");

/**
 * The reply to a message that could not be stored. A 4xx asks the client to retry, so it is used only where
 * that may help: a fault that stays would be met again for days.
 */
export function storeFailureReply(error: unknown): SmtpReply {
  if (!isTablekeepError(error)) return never;
  // It may be stored or not. Sent again it may be there twice, which is better than not at all.
  if (error.ambiguous) return tryLater;
  if (error.code === "MAIL_STORE_FULL") return noRoom;
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
      return never;
  }
}
