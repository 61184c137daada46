/** One answer of an SMTP server: a code and at least one line of text. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly [string, ...string[]];
}

export function smtpReply(code: number, ...lines: [string, ...string[]]): SmtpReply {
  return { code, lines };
}

/** A reply as it is sent: every line but the last has a hyphen behind its code. */
export function formatReply({ code, lines }: SmtpReply): string {
  const last = lines.length - 1;
  return lines.map((line, at) => `${code}${at === last ? " " : "-"}${printable(line)}\r\n`).join("");
}

/** What a client sent comes back in replies: it must not be able to end a line, nor to reach a terminal as a control. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "?");
}
