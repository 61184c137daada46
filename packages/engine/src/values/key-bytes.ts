import { hash as digest } from "node:crypto";
import { type Decimal, storedDecimal } from "@tablekeep/core";

/** The type of a key attribute. */
export type KeyType = "S" | "N" | "B";

const beyondAscii = /[\u0080-\uffff]/;

/** Encodes a key attribute as bytes in DynamoDB's order: strings by UTF-8, numbers by value, bytes unsigned. */
export function keyBytes(type: KeyType, content: string): string {
  if (type === "N") return numberKey(content);
  if (type === "B") return Buffer.from(content, "base64").toString("latin1");
  return utf8Bytes(content);
}

/** Encodes a string as its UTF-8 bytes, one per character. */
export function utf8Bytes(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Makes bytes safe to be followed by others: their order is kept, and none is a prefix of another. */
export function delimit(bytes: string): string {
  return `${bytes.includes("\0") ? bytes.replaceAll("\0", "\0\xff") : bytes}\0\0`;
}

/** Sign bytes; the middle one is the whole key of zero. */
const negativeByte = "\x7f";
const zeroByte = "\x80";
const positiveByte = "\x81";
/** Maps the smallest exponent, -130, to byte 0. */
const exponentBias = 130;
/** The character code of 0. */
const digitZero = 48;

/**
 * Encodes a number as bytes in the order of the numbers: sign, exponent, two digits per byte. Below zero all bytes
 * after the sign are complemented. A last byte ends the digits, so that no number's key is a prefix of another's.
 */
function numberKey(normalized: string): string {
  const decimal = storedDecimal(normalized);
  if (decimal.digits === "") return zeroByte;
  const bytes = magnitudeBytes(decimal);
  return decimal.negative ? negativeByte + complement(bytes) : positiveByte + bytes;
}

function magnitudeBytes({ digits, exponent }: Decimal): string {
  let bytes = String.fromCharCode(exponent + exponentBias);
  for (let at = 0; at < digits.length; at += 2) {
    bytes += String.fromCharCode(10 * digitAt(digits, at) + digitAt(digits, at + 1) + 1);
  }
  return `${bytes}\0`;
}

/** Returns a digit; 0 after the last one. */
function digitAt(digits: string, at: number): number {
  return at < digits.length ? digits.charCodeAt(at) - digitZero : 0;
}

function complement(bytes: string): string {
  let complemented = "";
  for (let at = 0; at < bytes.length; at++) complemented += String.fromCharCode(255 - bytes.charCodeAt(at));
  return complemented;
}

/** The cache's size: writers and readers return to the same partitions. */
const maxCachedHashes = 4096;
const maxCachedKeyLength = 256;
export const hashBytes = 16;

const hashCache = new Map<string, string>();

/**
 * Returns the storage position of a partition: 16 bytes of its key's SHA-256. DynamoDB's partition keys may be longer
 * than a storage key, and DynamoDB, too, scans in hash order. Two keys with the same 128 bits would share items;
 * nothing checks for that, because it does not happen by chance.
 */
export function partitionHash(partitionKey: string): string {
  const known = hashCache.get(partitionKey);
  if (known !== undefined) return known;
  const hash = digest("sha256", Buffer.from(partitionKey, "latin1"), "binary").slice(0, hashBytes);
  if (partitionKey.length > maxCachedKeyLength) return hash;
  if (hashCache.size >= maxCachedHashes) hashCache.clear();
  hashCache.set(partitionKey, hash);
  return hash;
}
