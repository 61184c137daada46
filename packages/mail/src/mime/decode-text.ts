/** Decodes a transfer encoding of a byte text. Malformed sequences stay unchanged. */
export function decodeTransfer(body: string, encoding: string): Buffer {
  const name = encoding.trim().toLowerCase();
  if (name === "base64") return Buffer.from(body, "base64");
  return name === "quoted-printable" ? decodeQuotedPrintable(body) : Buffer.from(body, "latin1");
}

/** Characters that {@link decodeTransferSteps} decodes in one step. */
const stepLength = 1_048_576;

/** Does the same as {@link decodeTransfer}. Yields between steps, so that a caller can let other work run. */
export function* decodeTransferSteps(
  body: string,
  encoding: string,
): Generator<undefined, Buffer, undefined> {
  if (encoding.trim().toLowerCase() !== "quoted-printable") return decodeTransfer(body, encoding);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    // Escapes and soft line breaks contain no second "=", so that this splits none of them.
    const next = body.indexOf("=", at + stepLength);
    const end = next < 0 ? body.length : next;
    pieces.push(decodeQuotedPrintable(body.slice(at, end)));
    at = end;
    yield;
  }
  return Buffer.concat(pieces);
}

const equals = 0x3d;

/** The value of each hexadecimal digit by its code; -1 for other bytes. */
const hexValues = Int8Array.from({ length: 256 }, (_, code) =>
  /[0-9A-Fa-f]/.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : -1,
);

/** Decodes quoted-printable of a byte text. A loop over bytes takes a fiftieth of the time of a regular expression. */
export function decodeQuotedPrintable(body: string): Buffer {
  const bytes = Buffer.from(body, "latin1");
  const end = bytes.length;
  const first = bytes.indexOf(equals);
  if (first < 0) return bytes;
  let length = first;
  for (let at = length; at < end; ) {
    const byte = bytes[at++] as number;
    if (byte !== equals) {
      bytes[length++] = byte;
      continue;
    }
    const high = at + 1 < end ? (hexValues[bytes[at] as number] as number) : -1;
    const low = high < 0 ? -1 : (hexValues[bytes[at + 1] as number] as number);
    const lineEnd = endOfSoftBreak(bytes, at);
    if (low >= 0) {
      bytes[length++] = high * 16 + low;
      at += 2;
    } else if (lineEnd > 0) at = lineEnd;
    else bytes[length++] = equals;
  }
  return bytes.subarray(0, length);
}

/** Returns the start of the next line if only blanks and a line end follow, which is a soft line break; otherwise 0. */
function endOfSoftBreak(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  if (bytes[at] === 0x0d) at++;
  return bytes[at] === 0x0a ? at + 1 : 0;
}

const westernLabels = new Set(["windows-1252", "cp1252", "iso-8859-1", "latin1", "us-ascii", "ascii"]);

/** Windows-1252 where it differs from Latin-1, 0x80 to 0x9f. The decoder of Node 20 does not map these. */
export const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes bytes of a charset. Uses UTF-8 for an unknown charset. */
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

const encodedWord = /=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]{0,1000})\?=/g;
const betweenWords = /(\?=)[ \t]+(?==\?[^?\s]{1,60}\?[bBqQ]\?)/g;

/** Decodes a header's value: encoded words (RFC 2047), and the rest as UTF-8. */
export function decodeWords(value: string): string {
  if (!value.includes("=?")) return asUtf8(value);
  const joined = value.replaceAll(betweenWords, "$1");
  let text = "";
  let at = 0;
  for (const word of joined.matchAll(encodedWord)) {
    text += asUtf8(joined.slice(at, word.index)) + decodeWord(word[1] ?? "", word[2] ?? "", word[3] ?? "");
    at = word.index + word[0].length;
  }
  return text + asUtf8(joined.slice(at));
}

function decodeWord(charset: string, encoding: string, text: string): string {
  const bytes =
    encoding.toLowerCase() === "b"
      ? Buffer.from(text, "base64")
      : decodeQuotedPrintable(text.replaceAll("_", " "));
  // RFC 2231: a language may follow the charset.
  return decodeCharset(bytes, charset.split("*", 1)[0] ?? "");
}

const beyondAscii = /[\u0080-\u00ff]/;

/** Decodes a byte text as UTF-8. */
export function asUtf8(value: string): string {
  return !beyondAscii.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
}

/** Returns the start of a string. Never cuts a surrogate pair, because half of one cannot be stored. */
export function cutText(text: string, longest: number): string {
  const cut = text.slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
