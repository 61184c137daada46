/**
 * Charsets that mail uses and `TextDecoder` does not support. The thread that decodes messages loads this file by itself, so it imports nothing.
 */

/** Code pages of DOS, 0x80 to 0xff. */
const codePages: ReadonlyMap<string, string> = new Map([
  [
    "437",
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ],
  [
    "850",
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ],
]);

type Decode = (bytes: Uint8Array) => string;

const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["utf7", decodeUtf7],
  ["unicode11utf7", decodeUtf7],
  ["hz", decodeHz],
  ["hzgb2312", decodeHz],
  ["iso2022kr", decodeKorean],
  ...[...codePages].flatMap(([page, upper]) =>
    [page, `ibm${page}`, `cp${page}`].map((name): [string, Decode] => [
      name,
      (bytes) => decodePage(bytes, upper),
    ]),
  ),
]);

/** Returns the name of a charset without separators and prefixes. */
export function plainCharset(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replace(/^(?:x-|cs)/, "")
    .replaceAll(/[\s._-]+/g, "");
}

/** Decodes bytes of one of these charsets, by any of its names; undefined for other charsets. */
export function decodeLegacy(bytes: Uint8Array, label: string): string | undefined {
  return decoders.get(plainCharset(label))?.(bytes);
}

const word = /=\?([^?\s*]{1,60})(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=/g;

/** Replaces encoded words (RFC 2047) of these charsets by words in UTF-8. */
export function legacyWordsAsUtf8(value: string): string {
  return value.replaceAll(word, (all, label: string, encoding: string, content: string) => {
    if (!decoders.has(plainCharset(label))) return all;
    const bytes = encoding.toLowerCase() === "b" ? Buffer.from(content, "base64") : unquoted(content);
    return `=?utf-8?B?${Buffer.from(decodeLegacy(bytes, label) ?? "").toString("base64")}?=`;
  });
}

function unquoted(content: string): Buffer {
  const text = content.replaceAll("_", " ").replaceAll(/=([0-9A-Fa-f]{2})/g, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(text, "latin1");
}

function decodePage(bytes: Uint8Array, upper: string): string {
  const units = Uint16Array.from(bytes, (byte) => (byte < 0x80 ? byte : upper.charCodeAt(byte - 0x80)));
  return utf16(units, units.length);
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitValues = Int8Array.from({ length: 256 }, (_, code) => digits.indexOf(String.fromCharCode(code)));
const [plus, minus] = [0x2b, 0x2d];

/** RFC 2152: `+` begins UTF-16 in base64, which a `-` or any other byte ends; `+-` is a plus sign. */
function decodeUtf7(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let [length, shifted, read, value, bits] = [0, false, 0, 0, 0];
  for (const byte of bytes) {
    const digit = digitValues[byte] as number;
    if (shifted && digit >= 0) {
      value = ((value << 6) | digit) & 0x3f_ffff;
      bits += 6;
      read++;
      if (bits < 16) continue;
      bits -= 16;
      units[length++] = (value >> bits) & 0xffff;
      continue;
    }
    // Also a plus sign that a sender has not escaped.
    if (shifted && read === 0) units[length++] = plus;
    const ends = shifted && byte === minus;
    shifted = !shifted && byte === plus;
    if (shifted) [read, value, bits] = [0, 0, 0];
    else if (!ends) units[length++] = byte;
  }
  if (shifted && read === 0) units[length++] = plus;
  return utf16(units, length);
}

function utf16(units: Uint16Array, length: number): string {
  return Buffer.from(units.buffer, units.byteOffset, length * 2).toString("utf16le");
}

const [escapeCode, shiftOut, shiftIn, tilde, lineFeed] = [0x1b, 0x0e, 0x0f, 0x7e, 0x0a];

/** RFC 1557: EUC-KR without its high bits between SHIFT OUT and SHIFT IN, after `ESC $ ) C`. */
function decodeKorean(bytes: Uint8Array): string {
  const out = new Uint8Array(bytes.length);
  let [length, shifted] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === escapeCode && bytes[at + 1] === 0x24 && bytes[at + 2] === 0x29) at += 3;
    else if (byte === shiftOut || byte === shiftIn) shifted = byte === shiftOut;
    else {
      if (byte === lineFeed) shifted = false;
      out[length++] = shifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder("euc-kr").decode(out.subarray(0, length));
}

/** RFC 1843: GB 2312 without its high bits between `~{` and `~}`; `~~` is a tilde, and `~` before a line end continues the line. */
function decodeHz(bytes: Uint8Array): string {
  const out = new Uint8Array(bytes.length);
  let [length, shifted] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const next = bytes[at + 1] === 0x0d ? bytes[at + 2] : bytes[at + 1];
    if (byte === tilde && (next === 0x7b || next === 0x7d)) {
      shifted = next === 0x7b;
      at++;
    } else if (byte === tilde && !shifted && (next === tilde || next === lineFeed)) {
      if (next === tilde) out[length++] = tilde;
      at += bytes[at + 1] === 0x0d ? 2 : 1;
    } else {
      if (byte === lineFeed) shifted = false;
      out[length++] = shifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder("gbk").decode(out.subarray(0, length));
}
