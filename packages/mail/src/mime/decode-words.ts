import { decodeCharset, decodeQuotedPrintable } from "./decode-bytes.ts";

const encodedWord = /=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]{0,1000})\?=/g;
const betweenWords = /(\?=)[ \t]+(?==\?[^?\s]{1,60}\?[bBqQ]\?)/g;

/** A header's value of a byte text as people read it: RFC 2047 words decoded, the rest as UTF-8. */
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

/** A byte text as UTF-8. */
export function asUtf8(value: string): string {
  return !beyondAscii.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
}
