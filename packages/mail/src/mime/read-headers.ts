import { byteText } from "../mailhog/byte-text.ts";
import { decodeWords } from "./decode-words.ts";
import { headerFields } from "./header-fields.ts";

/** Bytes of a message in which headers are looked for. */
const maxHeaderBytes = 262_144;

/**
 * Reads the headers of a message without decoding the rest of it: in order, duplicates kept, names in lower case. At
 * most 1,000, from the first 256 KiB.
 */
export function readHeaders(raw: Uint8Array): { readonly name: string; readonly value: string }[] {
  const { fields } = headerFields(byteText(raw.subarray(0, maxHeaderBytes)));
  return fields.map(([name, value]) => ({ name, value: decodeWords(value) }));
}
