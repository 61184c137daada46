import type { OperationName } from "@tablekeep/core";

/** JSON of DynamoDB as our types have it: base64 of `B` and `BS` as bytes, timestamps as dates. */
export function decodeOutput(operation: OperationName, text: string): unknown {
  const output: unknown = JSON.parse(text);
  if (mayHoldBytes(text)) toBytes(output);
  if (holdsDates.has(operation)) toDates(output);
  return output;
}

/** The JSON of an error answer, whose items may hold bytes. */
export function decodeErrorBody(text: string): unknown {
  const body: unknown = JSON.parse(text);
  if (mayHoldBytes(text)) toBytes(body);
  return body;
}

const holdsDates: ReadonlySet<OperationName> = new Set<OperationName>([
  "CreateTable",
  "UpdateTable",
  "DescribeTable",
  "DeleteTable",
  "DescribeStream",
  "GetRecords",
]);

/** Whether a member may be called `B` or `BS`, also when its name is written with escapes. Most answers hold none. */
function mayHoldBytes(text: string): boolean {
  return (
    text.includes('"B"') || text.includes('"BS"') || text.includes("\\u0042") || text.includes("\\u0053")
  );
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
    // A text under `B` can only be a value of type B: what an attribute called `B` holds is an object.
    if (typeof member === "string") {
      if (name === "B") members[name] = fromBase64(member);
    } else if (name === "BS" && isTextList(member)) members[name] = member.map(fromBase64);
    else toBytes(member);
  }
}

/** A set of bytes, not the list under an attribute of that name, whose elements are objects. */
function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === "string");
}

/** An array of its own, not a part of a buffer shared with others: the caller may keep or transfer it. */
function fromBase64(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, "base64"));
  const length = bytes.write(text, "base64");
  return length === bytes.length ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes.subarray(0, length));
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
