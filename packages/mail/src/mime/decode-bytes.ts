/** Undoes a transfer encoding of a byte text. What is malformed stays as it is. */
export function decodeTransfer(body: string, encoding: string): Buffer {
  const name = encoding.trim().toLowerCase();
  if (name === "base64") return Buffer.from(body, "base64");
  return Buffer.from(name === "quoted-printable" ? decodeQuotedPrintable(body) : body, "latin1");
}

/** Undoes quoted-printable of a byte text. */
export function decodeQuotedPrintable(body: string): string {
  if (!body.includes("=")) return body;
  return body
    .replaceAll(/=[ \t]*\r?\n/g, "")
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Bytes of a charset as text; of one that is not known, as UTF-8. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset === "" ? "utf-8" : charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
