const head = (subject: string, more: string) =>
  `From: Ann <ann@example.com>\r\nTo: ben@example.com\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n${more}`;

function nested(levels: number): string {
  const open = Array.from(
    { length: levels },
    (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`,
  );
  return `${open.join("")}Content-Type: text/plain\r\n\r\ndeep inside\r\n`;
}

/** Messages that the decoder refuses, by their subjects. Each contains "deep inside" in its source. */
export const undecodableMails: Readonly<Record<string, string>> = {
  "too deep": head("too deep", nested(60)),
  "too many parts": head(
    "too many parts",
    `Content-Type: multipart/mixed; boundary=b\r\n\r\ndeep inside\r\n${"--b\r\n\r\nx\r\n".repeat(1_100)}--b--\r\n`,
  ),
  "too long a head": head(
    "too long a head",
    `${Array.from({ length: 300 }, (_, at) => `X-Long-${at}: ${"x".repeat(1_000)}\r\n`).join("")}\r\ndeep inside\r\n`,
  ),
};
