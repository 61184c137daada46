// The global of this name is a getter, which takes longer than to measure a name.
import { Buffer } from "node:buffer";
import { base64Size, isDynamoError, maxItemBytes, numberSize } from "@tablekeep/core";
import { checkBytes } from "./check-bytes.ts";
import { checkNumber } from "./check-number.ts";
import { invalid, invalidParameter, invalidValue, typeMismatch } from "./dynamo-errors.ts";
import { isNestedDeeperThan } from "./nesting.ts";
import { setOwn, type WireItem, type WireValue } from "./wire-value.ts";

/** A checked item: a copy in normal form, with its size. */
export interface CheckedItem {
  readonly item: WireItem;
  /** Bytes as DynamoDB counts them. */
  readonly size: number;
  readonly hasBytes: boolean;
}

/** AWS: Limits — levels of nesting, including the innermost value, which must not be a map or a list, not even an empty one. */
const maxDepth = 32;

/** Collected during one walk over an item. */
interface Walk {
  size: number;
  hasBytes: boolean;
  /** The walk skips the remaining attributes once the item is larger. */
  readonly maxBytes?: number;
}

/**
 * Checks an item from outside, of any shape, and copies it: numbers in normal form, bytes as base64. Accepts bytes as
 * `Uint8Array` (from a caller in this process) or as base64 (from the wire).
 */
export function checkItem(item: unknown): CheckedItem {
  const walk: Walk = { size: 0, hasBytes: false };
  return { item: checkMap(item, 0, walk), ...walk };
}

/**
 * Checks the item or key of an action of a transaction. DynamoDB reports a wrong name of an attribute first, then a value that
 * is nested too deeply, then everything else. Source: the Parity Suite of 2026-10-09, `deepRequests`, in ten regions.
 */
export function checkItemOfAction(item: unknown): CheckedItem {
  try {
    return checkItem(item);
  } catch (error) {
    if (!isObject(item) || !isDynamoError(error, "ValidationException")) throw error;
    for (const name of Object.keys(item)) if (item[name] !== undefined) checkName(name);
    throw isNestedDeeperThan(maxDepth - 1, item) ? tooDeep() : error;
  }
}

/**
 * Checks the result of an update. If it exceeds the maximum size of an item, only a part of it is copied: an update can
 * contain a hundred copies of a list.
 */
export function checkUpdated(item: WireItem): CheckedItem {
  const walk: Walk = { size: 0, hasBytes: false, maxBytes: maxItemBytes };
  return { item: checkMap(item, 0, walk), size: walk.size, hasBytes: walk.hasBytes };
}

/** DynamoDB's error for an update whose result exceeds the maximum size of an item. */
export function updateTooLarge(): Error {
  return invalid("Item size to update has exceeded the maximum allowed size");
}

/** A checked value, with its bytes as DynamoDB counts them. */
export interface Sized<Value> {
  readonly value: Value;
  readonly size: number;
}

/** Checks one value from outside. */
export function checkValue(value: unknown): WireValue {
  return checkSized(value).value;
}

/** Checks one value from outside, and measures it. */
export function checkSized(value: unknown): Sized<WireValue> {
  const walk: Walk = { size: 0, hasBytes: false };
  return { value: walkValue(value, 1, walk), size: walk.size };
}

function checkMap(map: unknown, depth: number, walk: Walk): WireItem {
  if (!isObject(map)) throw typeMismatch(map, "Map");
  const copy: Record<string, WireValue> = {};
  const { maxBytes = Number.POSITIVE_INFINITY } = walk;
  for (const name of Object.keys(map)) {
    if (walk.size > maxBytes) break;
    const value = map[name];
    // A member set to undefined does not count: JSON would drop it.
    if (value === undefined) continue;
    walk.size += checkName(name);
    setOwn(copy, name, walkValue(value, depth + 1, walk));
  }
  return copy;
}

/** AWS: Limits — attribute names must be shorter than this. */
const maxNameBytes = 65_536;

/** Returns the length of an attribute's name in bytes. Throws if DynamoDB does not accept the name. */
export function checkName(name: string): number {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0) throw invalid("Empty attribute name");
  if (bytes >= maxNameBytes) {
    throw invalid(`Attribute name is too large, must be less than ${maxNameBytes} bytes`);
  }
  return bytes;
}

function walkValue(value: unknown, depth: number, walk: Walk): WireValue {
  if (!isObject(value)) throw typeMismatch(value, "AttributeValue");
  if (depth > maxDepth) throw tooDeep();
  let tag: string | undefined;
  let content: unknown;
  for (const each of Object.keys(value)) {
    if (value[each] === undefined || value[each] === null || !Object.hasOwn(readers, each)) continue;
    if (tag !== undefined) {
      throw invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
      );
    }
    tag = each;
    content = value[each];
  }
  if (tag === undefined) {
    throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
  return (readers[tag] as Reader)(content, depth, walk);
}

type Reader = (content: unknown, depth: number, walk: Walk) => WireValue;

const readers: { readonly [tag: string]: Reader } = {
  S(content, _depth, walk) {
    const text = checkString(content);
    walk.size += Buffer.byteLength(text);
    return { S: text };
  },
  N(content, _depth, walk) {
    const number = numberIn(content);
    walk.size += numberSize(number);
    return { N: number };
  },
  B(content, _depth, walk) {
    const bytes = checkBytes(content);
    walk.size += base64Size(bytes);
    walk.hasBytes = true;
    return { B: bytes };
  },
  BOOL(content, _depth, walk) {
    if (typeof content !== "boolean") throw typeMismatch(content, "Boolean");
    walk.size += 1;
    return { BOOL: content };
  },
  NULL(content, _depth, walk) {
    if (typeof content !== "boolean") throw typeMismatch(content, "Boolean");
    if (!content) throw invalidParameter("Null attribute value types must have the value of true");
    walk.size += 1;
    return { NULL: true };
  },
  SS(content, _depth, walk) {
    const set = checkSet(content, checkString, "An string set  may not be empty", duplicateStrings);
    for (const text of set) walk.size += Buffer.byteLength(text);
    return { SS: set };
  },
  NS(content, _depth, walk) {
    const set = checkSet(content, numberIn, "An number set  may not be empty", duplicateNumbers);
    for (const number of set) walk.size += numberSize(number);
    return { NS: set };
  },
  BS(content, _depth, walk) {
    const set = checkSet(content, checkBytes, "Binary sets should not be empty", duplicateBytes);
    for (const bytes of set) walk.size += base64Size(bytes);
    walk.hasBytes = true;
    return { BS: set };
  },
  L(content, depth, walk) {
    if (!Array.isArray(content)) throw typeMismatch(content, "List");
    if (depth === maxDepth) throw tooDeep();
    walk.size += 3 + content.length;
    return { L: mapAll(content, (element) => walkValue(element, depth + 1, walk)) };
  },
  M(content, depth, walk) {
    if (depth === maxDepth && isObject(content)) throw tooDeep();
    const map = checkMap(content, depth, walk);
    walk.size += 3 + Object.keys(map).length;
    return { M: map };
  },
};

function tooDeep(): Error {
  return invalid(
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
  );
}

function checkString(content: unknown): string {
  if (typeof content !== "string") throw typeMismatch(content, "String");
  // A lone surrogate is not a character: its UTF-8, and so its position as a key, is that of U+FFFD.
  return (content as string & { toWellFormed(): string }).toWellFormed();
}

function numberIn(content: unknown): string {
  return checkNumber(checkString(content));
}

function checkSet(
  content: unknown,
  check: (element: unknown) => string,
  whenEmpty: string,
  repeated: (elements: readonly string[]) => Error,
): string[] {
  if (!Array.isArray(content)) throw typeMismatch(content, "List");
  if (content.length === 0) throw invalidParameter(whenEmpty);
  const elements = mapAll(content, check);
  if (new Set(elements).size < elements.length) throw repeated(elements);
  return elements;
}

// DynamoDB has a different message for each type.
const invalidSet = "One or more parameter values were invalid: Input collection ";
const duplicateStrings = (elements: readonly string[]): Error =>
  invalidValue(
    `${invalidSet}[${elements.join(", ")}] contains duplicates.`,
    `${invalidSet}[${quotedElements(elements, "utf8").join(", ")}] contains duplicates.`,
  );
const duplicateNumbers = (): Error =>
  invalidValue("Input collection contains duplicates", `${invalidSet}contains duplicates.`);
const duplicateBytes = (elements: readonly string[]): Error =>
  invalidValue(
    `${invalidSet}[${elements.join(", ")}]of type BS contains duplicates.`,
    `${invalidSet}[${quotedElements(elements, "base64").join(",")}]of type BS contains duplicates.`,
  );

/** Lists the elements as the newer layer does: sorted by bytes up to the first repeated one, then as sent. */
function quotedElements(elements: readonly string[], encoding: "utf8" | "base64"): string[] {
  const repeated = elements.findIndex((element, at) => elements.indexOf(element) < at);
  const before = elements.slice(0, repeated).map((element) => Buffer.from(element, encoding));
  const sorted = before.sort(Buffer.compare).map((bytes) => bytes.toString(encoding));
  return [...sorted, ...elements.slice(repeated)].map((element) => `"${element}"`);
}

/** Unlike `map`, visits the holes of a list: a missing element is not a value. */
function mapAll<Result>(content: readonly unknown[], read: (element: unknown) => Result): Result[] {
  return Array.from(content, (element) => read(element));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/**
 * Runs `understand` on a request of several parts. DynamoDB checks the values of all parts first: if `understand`
 * throws, an invalid value is reported instead.
 */
export function reportValuesFirst<Result>(
  values: () => readonly unknown[],
  understand: () => Result,
): Result {
  try {
    return understand();
  } catch (error) {
    for (const value of values()) if (value !== undefined) checkItem(value);
    throw error;
  }
}
