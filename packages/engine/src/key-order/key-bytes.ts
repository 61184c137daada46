import { numberKey } from "./number-key.ts";

/** The type of a key attribute. */
export type KeyType = "S" | "N" | "B";

const beyondAscii = /[\u0080-\uffff]/;

/** A key attribute's content as bytes whose order is DynamoDB's: text by UTF-8, numbers by value, bytes unsigned. */
export function keyBytes(type: KeyType, content: string): string {
  if (type === "N") return numberKey(content);
  if (type === "B") return Buffer.from(content, "base64").toString("latin1");
  return utf8Bytes(content);
}

/** A text as its UTF-8 bytes, one a character. */
export function utf8Bytes(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Bytes made safe to be followed by others: their order is kept, and none begins another. */
export function delimited(bytes: string): string {
  return `${bytes.includes("\0") ? bytes.replaceAll("\0", "\0\xff") : bytes}\0\0`;
}
