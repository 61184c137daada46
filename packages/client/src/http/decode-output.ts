import { type OperationName, operationTraits } from "@tablekeep/core";
import { hasLongStrings, readByteJson } from "./byte-json.ts";

/** Returns the output of an operation as our types have it: base64 of `B` and `BS` as bytes, timestamps as dates. */
export function decodeOutput(operation: OperationName, body: Buffer): unknown {
  const output = decodeBody(body);
  if (operationTraits[operation].hasDates) toDates(output);
  return output;
}

function decodeBody(body: Buffer): unknown {
  const plain = hasLongStrings(body) ? readByteJson(body, memberValue) : undefined;
  return plain ?? decodeJson(body.toString());
}

/** Parses DynamoDB's JSON, with base64 of `B` and `BS` as bytes. */
export function decodeJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (mayHoldBytes(text)) toBytes(value);
  return value;
}

/**
 * Returns whether a member may be named `B` or `BS`, even when the name is written with escapes. Most responses contain
 * none. Searches for the letter first: stopping at every quote costs half as much as parsing the response.
 */
function mayHoldBytes(text: string): boolean {
  return text.includes('B"') || text.includes('BS"') || (text.includes("\\") && escapedLetter.test(text));
}

/** An escaped B or S. A pattern, because a search for strings stops at every backslash, of which documents in strings have many. */
const escapedLetter = /\\u00(?:42|53)/;

function toBytes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) toBytes(element);
    return;
  }
  const members = value as Record<string, unknown>;
  // JSON has own members only; listing them first costs as much as all the rest.
  for (const name in members) {
    const member = members[name];
    const revived = memberValue(name, member);
    if (revived === member) toBytes(member);
    else members[name] = revived;
  }
}

function toDates(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name.endsWith("DateTime") && typeof member === "number")
      (value as Record<string, unknown>)[name] = new Date(Math.round(member * 1000));
    // Images of items are the user's: an attribute of theirs may have any name.
    else if (name !== "Keys" && name !== "NewImage" && name !== "OldImage") toDates(member);
  }
}

/** Returns a member of a response as our types have it: bytes where the JSON has base64. */
function memberValue(name: string, value: unknown): unknown {
  // A string under `B` can only be a value of type B: what an attribute called `B` holds is an object.
  if (name === "B" && typeof value === "string") return fromBase64(value);
  return name === "BS" && isStringList(value) ? value.map(fromBase64) : value;
}

/** A set of bytes, not the list under an attribute of that name, whose elements are objects. */
function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "string");
}

/** Below this many characters, copying bytes out of Node's pool is faster than allocating memory for them alone. */
const shortBase64 = 80;

/** A separate array, not a view of a shared buffer: the caller may keep or transfer it. */
function fromBase64(text: string): Uint8Array {
  if (text.length < shortBase64) return new Uint8Array(Buffer.from(text, "base64"));
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, "base64"));
  const length = bytes.write(text, "base64");
  return length === bytes.length ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes.subarray(0, length));
}
