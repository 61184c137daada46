/** Runs steps without a break. */
export function allSteps<Result>(steps: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Decodes a transfer encoding of a byte text. Malformed sequences stay unchanged. */
export function decodeTransfer(body: string, encoding: string): Buffer {
  return allSteps(decodeTransferSteps(body, encoding));
}

/** Characters that {@link decodeTransferSteps} decodes in one step. */
const stepLength = 1_048_576;

/** Does the same as {@link decodeTransfer}. Yields between steps, so that a caller can let other work run. */
export function* decodeTransferSteps(
  body: string,
  encoding: string,
): Generator<undefined, Buffer, undefined> {
  const name = encodingName(encoding);
  if (name === "base64") return yield* decodeBase64(body);
  if (name !== "quoted-printable") return Buffer.from(body, "latin1");
  if (body.length <= stepLength) return decodeQuotedPrintable(body);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    // Escapes and soft line breaks contain no second "=", so this splits none of them.
    const next = body.indexOf("=", at + stepLength);
    const end = next < 0 ? body.length : next;
    pieces.push(decodeQuotedPrintable(body.slice(at, end)));
    at = end;
    yield;
  }
  return Buffer.concat(pieces);
}

/** Returns the first word of a Content-Transfer-Encoding, without comments and quotes. */
function encodingName(value: string): string {
  const word = /[\w-]+/.exec(value.replaceAll(/\([^()]*\)/g, " "))?.[0] ?? "";
  return word.toLowerCase();
}

const equals = 0x3d;

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The value of each base64 digit by its code, in both alphabets; -1 for other bytes. */
const base64Values = Int8Array.from({ length: 256 }, (_, code) =>
  base64Alphabet.indexOf(String.fromCharCode(code).replace("-", "+").replace("_", "/")),
);

const notBase64 = /[^A-Za-z0-9+/=\s]/;

/**
 * Decodes as Node does, but in steps. Some senders pad every line. Node stops at the first padding, which is right only if text
 * follows, such as a footer.
 */
function* decodeBase64(body: string): Generator<undefined, Buffer, undefined> {
  const padding = body.indexOf("=");
  const isPlain = padding < 0 || (yield* hasTextAfter(body, padding));
  if (isPlain && body.length <= stepLength) return Buffer.from(body, "base64");
  const bytes = Buffer.from(isPlain && padding >= 0 ? body.slice(0, padding) : body, "latin1");
  let [length, value, bits] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    if (at % stepLength === stepLength - 1) yield;
    const byte = bytes[at] as number;
    const digit = base64Values[byte] as number;
    if (byte === equals) bits = 0;
    if (digit < 0) continue;
    value = ((value << 6) | digit) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (value >> bits) & 0xff;
  }
  return bytes.subarray(0, length);
}

/** Whether anything but base64 follows. */
function* hasTextAfter(body: string, from: number): Generator<undefined, boolean, undefined> {
  for (let at = from; at < body.length; at += stepLength) {
    if (at > from) yield;
    if (notBase64.test(body.slice(at, at + stepLength))) return true;
  }
  return false;
}

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
