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

const westernLabels = new Set(["windows-1252", "cp1252", "iso-8859-1", "latin1", "us-ascii", "ascii"]);

/** Windows-1252 where it differs from Latin-1, 0x80 to 0x9f. The decoder of Node 20 leaves these as they are. */
export const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Bytes of a charset as text; of one that is not known, as UTF-8. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  const label = charset.trim().toLowerCase();
  if (westernLabels.has(label)) return decodeWestern(bytes);
  try {
    return new TextDecoder(label === "" ? "utf-8" : label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function decodeWestern(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return text.replaceAll(/[\u0080-\u009f]/g, (char) => windows1252.charAt(char.charCodeAt(0) - 0x80));
}
