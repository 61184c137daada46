import { randomUUID } from "node:crypto";
import { readHeaderFields } from "@tablekeep/mail";

/** A stored message that a report is about. */
export interface ReportedMessage {
  /** The beginning of its bytes, with the whole header if that is not huge. */
  readonly head: Buffer;
  /** The envelope's sender, who gets the report. */
  readonly from: string;
  readonly helo: string;
  /** Milliseconds since 1970. */
  readonly arrived: number;
}

/** A recipient that a message was not delivered to. */
export interface FailedRecipient {
  readonly address: string;
  /** An enhanced status code (RFC 3463), such as 5.1.1. */
  readonly status: string;
  /** The diagnostic code, such as `smtp; 550 5.1.1 user unknown`. */
  readonly text: string;
}

/** The author and the time of a report. */
export interface Reporter {
  readonly hostname: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A delivery status notification (RFC 3464) for a message that was not delivered to some recipients. */
export function bounceReport(
  message: ReportedMessage,
  failed: readonly FailedRecipient[],
  { hostname, now }: Reporter,
): Buffer {
  const text = [
    `This is the mail system at host ${hostname}.`,
    "",
    "Your message could not be delivered to these recipients:",
    "",
    ...failed.map(({ address, text: reason }) => `<${address}>: ${reason.replace(/^smtp; /, "")}`),
  ];
  const status = [
    `Reporting-MTA: dns; ${hostname}`,
    `Received-From-MTA: dns; ${message.helo.replace(/[^\x21-\x7e]/g, "?") || "unknown"}`,
    `Arrival-Date: ${dateText(message.arrived)}`,
    ...failed.flatMap(({ address, status: code, text: reason }) => [
      "",
      `Final-Recipient: ${isAscii(address) ? "rfc822" : "utf-8"}; ${address}`,
      `Action: ${code.startsWith("4") ? "delayed" : "failed"}`,
      `Status: ${code}`,
      `Diagnostic-Code: ${reason}`,
    ]),
  ];
  return report(message, {
    from: `Mail Delivery System <MAILER-DAEMON@${hostname}>`,
    subject: "Undelivered Mail Returned to Sender",
    kind: "delivery-status",
    hostname,
    now,
    text,
    details: status,
  });
}

/** A complaint in the abuse reporting format (RFC 5965): the recipient marked the message as spam. */
export function complaintReport(
  message: ReportedMessage,
  recipient: string,
  { hostname, now }: Reporter,
): Buffer {
  return report(message, {
    from: `Complaints <complaints@${hostname}>`,
    subject: "Complaint about message",
    kind: "feedback-report",
    hostname,
    now,
    text: [
      `This is an abuse report for a message to <${recipient}>, received at ${dateText(message.arrived)}.`,
    ],
    details: [
      "Feedback-Type: abuse",
      "User-Agent: tablekeep/1.0",
      "Version: 1",
      `Original-Mail-From: <${message.from}>`,
      `Original-Rcpt-To: <${recipient}>`,
      `Arrival-Date: ${dateText(message.arrived)}`,
      `Reporting-MTA: dns; ${hostname}`,
    ],
  });
}

interface ReportParts extends Reporter {
  readonly from: string;
  readonly subject: string;
  readonly kind: "delivery-status" | "feedback-report";
  readonly text: readonly string[];
  readonly details: readonly string[];
}

/** RFC 6522: a text for people, fields for programs, and the header of the message. */
function report(message: ReportedMessage, parts: ReportParts): Buffer {
  const boundary = `=_${randomUUID()}`;
  const fields = readHeaderFields(message.head);
  const header = message.head.subarray(0, fields.at(-1)?.end ?? 0);
  const id = fields.find(({ name }) => name === "message-id")?.value.trim() ?? "";
  const isId = /^<[\x21-\x7e]{1,900}>$/.test(id);
  const lines = [
    `From: ${parts.from}`,
    `To: <${message.from}>`,
    `Subject: ${parts.subject}`,
    `Date: ${dateText(parts.now)}`,
    `Message-ID: <${randomUUID()}@${parts.hostname}>`,
    ...(isId ? [`In-Reply-To: ${id}`, `References: ${id}`] : []),
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${parts.kind};`,
    ` boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    ...parts.text,
    "",
    `--${boundary}`,
    `Content-Type: message/${parts.kind}`,
    "",
    ...parts.details,
    "",
    `--${boundary}`,
    "Content-Type: text/rfc822-headers",
    "Content-Transfer-Encoding: 8bit",
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(lines.join("\r\n")), header, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

function dateText(ms: number): string {
  return new Date(ms).toUTCString().replace("GMT", "+0000");
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
