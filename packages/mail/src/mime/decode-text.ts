import { decodeUtf8, decodeWestern } from "./decode-bytes.ts";
import { decodeLegacy, plainCharset } from "./legacy-charsets.ts";
import { decodeQuotedPrintable } from "./transfer-encoding.ts";

const westernLabels = new Set(["windows-1252", "cp1252", "iso-8859-1", "latin1", "us-ascii", "ascii"]);

/** Names in mail that `TextDecoder` does not support, without separators and the prefix `x-`. */
const charsetAliases: ReadonlyMap<string, string> = new Map([
  ["cp932", "shift_jis"],
  ["cp936", "gbk"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
  ["cp874", "windows-874"],
  ["uhc", "euc-kr"],
  ["shiftjis", "shift_jis"],
  ["eucjp", "euc-jp"],
  ["euckr", "euc-kr"],
  ["iso2022jp", "iso-2022-jp"],
  ["tis620", "windows-874"],
]);

/** Decodes bytes of a charset. Bytes of UTF-8, of an unknown charset or of none that are not UTF-8 are read as Windows-1252. */
export function decodeCharset(bytes: Uint8Array, charset: string): string {
  const label = charset.trim().toLowerCase();
  if (label === "" || label === "utf-8") return decodeUtf8(bytes);
  if (westernLabels.has(label)) return decodeWestern(bytes);
  const plain = plainCharset(label);
  const decoder = decoderOf(label) ?? decoderOf(charsetAliases.get(plain) ?? plain);
  if (decoder === undefined) return decodeLegacy(bytes, label) ?? decodeUtf8(bytes);
  if (decoder.encoding === "windows-1252") return decodeWestern(bytes);
  return decoder.encoding === "utf-8" ? decodeUtf8(bytes) : decoder.decode(bytes);
}

type CharsetDecoder = InstanceType<typeof TextDecoder>;

/** Decoders by label, undefined for unknown labels: an attempt to create one takes long. Senders choose the labels. */
const decoders = new Map<string, CharsetDecoder | undefined>();
const maxDecoders = 100;

function decoderOf(label: string): CharsetDecoder | undefined {
  if (!decoders.has(label)) {
    if (decoders.size >= maxDecoders) decoders.clear();
    decoders.set(label, createDecoder(label));
  }
  return decoders.get(label);
}

function createDecoder(label: string): CharsetDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

// Some senders put blanks into encoded words. The search is linear, because no group contains "?".
const encodedWord = /=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=/g;
const betweenWords = /(\?=)[ \t]+(?==\?[^?\s]{1,60}\?[bBqQ]\?)/g;

/** Limits of one value. Further words stay encoded; words of further charsets are read as UTF-8. */
const maxWords = 5000;
const maxCharsets = 10;

/** Decodes a header's value: encoded words (RFC 2047), and the rest as UTF-8, or as Windows-1252 where it is not. */
export function decodeWords(value: string): string {
  if (!value.includes("=?")) return headerText(value);
  const joined = value.replaceAll(betweenWords, "$1");
  const charsets = new Set<string>();
  let [text, at, charset, words] = ["", 0, "", 0];
  /** Bytes of adjacent words of one charset: some senders split a character between two words. */
  let pending: Buffer[] = [];
  const flush = () => {
    if (pending.length > 0) text += decodeCharset(Buffer.concat(pending), charset);
    pending = [];
  };
  for (const { index, 0: word, 1: label = "", 2: encoding = "", 3: content = "" } of joined.matchAll(
    encodedWord,
  )) {
    if (++words > maxWords) break;
    // RFC 2231: a language may follow the charset.
    const named = label.replace(/\*.*$/, "").toLowerCase();
    const wordCharset = charsets.size < maxCharsets || charsets.has(named) ? named : "utf-8";
    charsets.add(wordCharset);
    if (index > at || wordCharset !== charset) flush();
    text += headerText(joined.slice(at, index));
    charset = wordCharset;
    pending.push(decodeWord(encoding, content));
    at = index + word.length;
  }
  flush();
  return text + headerText(joined.slice(at));
}

function decodeWord(encoding: string, content: string): Buffer {
  if (encoding.toLowerCase() === "b") return Buffer.from(content, "base64");
  return decodeQuotedPrintable(content.replaceAll("_", " "));
}

const beyondAscii = /[\u0080-\u00ff]/;

/** Decodes the undecoded value of a header, a byte string, without encoded words. */
export function headerText(value: string): string {
  return beyondAscii.test(value) ? decodeUtf8(Buffer.from(value, "latin1")) : value;
}

/** Decodes a byte string as UTF-8, with U+FFFD for malformed bytes, as MailHog does. */
export function asUtf8(value: string): string {
  return !beyondAscii.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
}

/** Returns the start of a string. Never cuts a surrogate pair, because half of one cannot be stored. */
export function cutText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? text.slice(0, maxLength) : text;
  const last = cut.charCodeAt(cut.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut;
}
