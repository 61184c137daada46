import { MalformedBytes } from "./byte-reader.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text of UTF-8 bytes. Refuses bytes that are none, instead of reading something else. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new MalformedBytes("is not UTF-8");
  }
}

/** Whether UTF-8 can hold a text: half of a surrogate pair has no bytes. */
export function isWellFormed(text: string): boolean {
  return text === "" || !/\p{Surrogate}/u.test(text);
}
