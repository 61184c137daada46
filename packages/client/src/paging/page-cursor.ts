import { createHash } from "node:crypto";
import type { AttributeValue, Key, QueryInput, ScanInput } from "@tablekeep/core";
import { optionInvalid } from "../base/check-options.ts";
import type { ClientError } from "../base/client-error.ts";

const hashBytes = 12;
const version = 1;
/** The keys of a table and an index fit, even with every byte escaped. */
const maxCursorLength = 65_536;

/**
 * Returns the position where a query or scan stopped, as a string that fits into a URL. It belongs to its query: page size and
 * consumed capacity may differ when it is used, everything else must be the same.
 *
 * It is neither secret nor signed: it shows the key of the last item, and a client can forge one. Limit what a query may
 * read by its own conditions, not by its cursor.
 *
 * @example
 * const cursor = page.LastEvaluatedKey && encodePageCursor(input, page.LastEvaluatedKey);
 */
export function encodePageCursor(input: QueryInput | ScanInput, lastEvaluatedKey: Key): string {
  const key = Buffer.from(JSON.stringify(lastEvaluatedKey, binaryAsBase64));
  return Buffer.concat([Buffer.of(version), queryHash(input), key]).toString("base64url");
}

/**
 * Returns the `ExclusiveStartKey` of a cursor. Throws `CLIENT_OPTION_INVALID` if it is damaged or belongs to another query.
 *
 * @example
 * const page = await port.query({ ...input, ExclusiveStartKey: decodePageCursor(input, cursor) });
 */
export function decodePageCursor(input: QueryInput | ScanInput, cursor: string): Key {
  const bytes = cursor.length > maxCursorLength ? Buffer.alloc(0) : Buffer.from(cursor, "base64url");
  // Decoding skips characters that are not base64url: only what encodes to the same text is one of ours.
  if (bytes[0] !== version || bytes.toString("base64url") !== cursor) throw damaged();
  if (!bytes.subarray(1, 1 + hashBytes).equals(queryHash(input)))
    throw optionInvalid("cursor", "belongs to another query: start again without it");
  return parseKey(bytes.subarray(1 + hashBytes).toString());
}

function damaged(): ClientError {
  return optionInvalid("cursor", "is damaged: start again without it");
}

/** The input that the cursor is bound to: everything except the start key and the page size. */
function queryHash(input: QueryInput | ScanInput): Buffer {
  const { ExclusiveStartKey: _, Limit: __, ReturnConsumedCapacity: ___, ...bound } = input;
  return createHash("sha256").update(sortedJson(bound)).digest().subarray(0, hashBytes);
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => {
    const plain = binaryAsBase64(name, each);
    if (typeof plain !== "object" || plain === null || Array.isArray(plain)) return plain;
    // Undefined members are left out, as they are on the wire.
    const given = Object.entries(plain).filter(([, member]) => member !== undefined);
    return given.sort(([one], [other]) => (one < other ? -1 : 1));
  });
}

/** For JSON.stringify: a Buffer arrives as its own toJSON form. */
function binaryAsBase64(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value
  )
    return Buffer.from(value.data as number[]).toString("base64");
  return value;
}

function parseKey(json: string): Key {
  const parsed = parseJson(json);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw damaged();
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, parseKeyValue(value)]));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function parseKeyValue(value: unknown): AttributeValue {
  const [tag, text, ...more] =
    typeof value === "object" && value !== null ? Object.entries(value).flat() : [];
  if (typeof text !== "string" || more.length > 0) throw damaged();
  if (tag === "S") return { S: text };
  if (tag === "N") return { N: text };
  if (tag === "B") return { B: new Uint8Array(Buffer.from(text, "base64")) };
  throw damaged();
}
