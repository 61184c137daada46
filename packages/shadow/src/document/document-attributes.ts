import type { AttributeValue } from "@tablekeep/core";
import { ShadowError } from "../model/shadow-error.ts";
import { type DocumentValue, isList, isObject, type OpenObject, setKey } from "./document-value.ts";
import { ExactNumber, fitsDynamo, numberOf } from "./exact-number.ts";

/** AWS: attributes are nested up to 32 levels; the half itself is one. */
const maxLevels = 31;

/** The path to the current value: one array, to which each level adds its step and then removes it. */
type OpenPath = (string | number)[];

/** The attribute value of a document's value. Throws `SHADOW_VALUE_INVALID` for values that DynamoDB cannot store. */
export function toAttribute(value: DocumentValue, path: OpenPath = []): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: wellFormed(value, path) };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number" || typeof value === "bigint" || value instanceof ExactNumber)
    return { N: numberText(value, path) };
  if (path.length > maxLevels) throw valueInvalid(path, "is nested deeper than DynamoDB stores");
  if (value instanceof Uint8Array) return { B: value };
  if (isList(value)) return { L: value.map((each, at) => attributeAt(at, each, path)) };
  if (isObject(value)) return { M: toMap(value, path) };
  if (value instanceof Set) return setOf([...(value as ReadonlySet<DocumentValue>)], path);
  throw valueInvalid(path, "is not a JSON value");
}

function attributeAt(step: string | number, value: DocumentValue, path: OpenPath): AttributeValue {
  path.push(step);
  const attribute = toAttribute(value, path);
  path.pop();
  return attribute;
}

function toMap(value: Readonly<Record<string, DocumentValue>>, path: OpenPath) {
  const map: Record<string, AttributeValue> = {};
  for (const [key, each] of Object.entries(value)) {
    if (key === "") throw valueInvalid([...path, key], "has an empty key, which DynamoDB does not store");
    if (each === undefined) continue;
    setKey(map, wellFormed(key, path), attributeAt(key, each, path));
  }
  return map;
}

/** UTF-8 cannot encode an unpaired surrogate: it would be stored as U+FFFD. */
function wellFormed(text: string, path: readonly (string | number)[]): string {
  if ((text as string & { isWellFormed(): boolean }).isWellFormed()) return text;
  throw valueInvalid(path, "contains an unpaired surrogate, which UTF-8 cannot encode");
}

function numberText(value: number | bigint | ExactNumber, path: readonly (string | number)[]): string {
  const text = Object.is(value, -0) ? "0" : String(value);
  // Integers of this size need no check.
  if (Number.isSafeInteger(value) || fitsDynamo(text)) return text;
  throw valueInvalid(path, `is ${text}, which is not a number that DynamoDB stores`);
}

function setOf(elements: readonly DocumentValue[], path: OpenPath): AttributeValue {
  const values = elements.map((each) => toAttribute(each, path));
  const ofTag = <Tag extends "S" | "N" | "B">(tag: Tag) => values.flatMap((each) => each[tag] ?? []);
  const all = <Element>(found: readonly Element[]) => found.length === values.length && found.length > 0;
  if (all(ofTag("S"))) return { SS: ofTag("S") as string[] };
  if (all(ofTag("N"))) return { NS: ofTag("N") as string[] };
  if (all(values.filter(({ B }) => B !== undefined)))
    return { BS: values.flatMap(({ B }) => (B ? [B] : [])) };
  throw valueInvalid(path, "is a set that is empty or has values of several types");
}

/** The error for a value that cannot be stored or used. */
export function valueInvalid(path: readonly (string | number)[], reason: string): ShadowError {
  const pointer = pointerOf(path);
  return new ShadowError("SHADOW_VALUE_INVALID", `the value at "${pointer}" ${reason}`, {
    path: pointer,
    reason,
  });
}

const reserved = /[~/]/;

/** RFC 6901: a path as a JSON pointer. */
export function pointerOf(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const step of path) {
    const text = String(step);
    pointer += `/${reserved.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text}`;
  }
  return pointer;
}

/** The document's value of an attribute value. */
export function fromAttribute(value: AttributeValue): DocumentValue {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return numberOf(value.N);
  if (value.M !== undefined) {
    const object: OpenObject = {};
    for (const key of Object.keys(value.M))
      setKey(object, key, fromAttribute(value.M[key] as AttributeValue));
    return object;
  }
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.L !== undefined) return value.L.map(fromAttribute);
  if (value.B !== undefined) return value.B;
  if (value.SS !== undefined) return new Set(value.SS);
  if (value.NS !== undefined) return new Set(value.NS.map(numberOf));
  if (value.BS !== undefined) return new Set(value.BS);
  return null;
}
