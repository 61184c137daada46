const blankLine = "\r\n\r\n";

/**
 * Returns a message of MailHog's JSON with the bytes of its download. Tablekeep's download is the whole message; MailHog's has the
 * same body below a header in another order, which is not used.
 */
export function restoreBytes(raw: Buffer, download: Buffer): Buffer {
  const text = raw.toString("utf8");
  if (isSame(text, download)) return download;
  const [headEnd, bodyAt] = [raw.indexOf(blankLine), download.indexOf(blankLine)];
  if (headEnd < 0 || bodyAt < 0) return raw;
  const body = download.subarray(bodyAt + blankLine.length);
  const head = raw.subarray(0, headEnd + blankLine.length);
  if (!isSame(raw.subarray(head.length).toString("utf8"), body)) return raw;
  return Buffer.concat([head, body, Buffer.from(endsLine(body) ? "" : "\r\n")]);
}

/** The JSON lacks the last line break of a message, and `text` has one in its place. */
function isSame(text: string, bytes: Buffer): boolean {
  const other = bytes.toString("utf8");
  return other === text || `${other}\r\n` === text;
}

function endsLine(bytes: Buffer): boolean {
  return bytes.subarray(-2).toString("latin1") === "\r\n";
}
