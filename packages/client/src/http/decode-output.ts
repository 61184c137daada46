import { type OperationName, operationTraits } from "@tablekeep/core";
import { readByteJson } from "./byte-json.ts";
import { memberValue } from "./member-value.ts";

/** JSON of DynamoDB as our types have it: base64 of `B` and `BS` as bytes, timestamps as dates. */
export function decodeOutput(operation: OperationName, body: Buffer): unknown {
  const output = (isOfLongTexts(body) ? readByteJson(body) : undefined) ?? parse(body.toString());
  if (operationTraits[operation].hasDates) toDates(output);
  return output;
}

/** The JSON of an error answer, whose items may hold bytes. */
export function decodeErrorBody(text: string): unknown {
  return parse(text);
}

function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (mayHoldBytes(text)) toBytes(value);
  return value;
}

/** Of a shorter answer, or one with more quotes in its first bytes, `JSON.parse` makes less work. */
const longTexts = { bytes: 16_384, sample: 2_048, quotes: 100 };

function isOfLongTexts(body: Buffer): boolean {
  if (body.length < longTexts.bytes) return false;
  let quotes = 0;
  for (let at = 0; at < longTexts.sample; at++) if (body[at] === 34) quotes++;
  return quotes <= longTexts.quotes;
}

/**
 * Whether a member may be called `B` or `BS`, also when its name is written with escapes. Most answers hold none. The
 * letter is looked for first: to stop at every quote costs half as much as to parse the answer.
 */
function mayHoldBytes(text: string): boolean {
  if (text.includes('B"') || text.includes('BS"')) return true;
  return text.includes("\\") && (text.includes("\\u0042") || text.includes("\\u0053"));
}

function toBytes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const element of value) toBytes(element);
    return;
  }
  const members = value as Record<string, unknown>;
  // Members of their own only: this came from JSON. To list them first costs as much as all the rest.
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
