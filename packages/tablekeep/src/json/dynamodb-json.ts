import type { AttributeValue, Item } from "@tablekeep/core";
import type { DocumentObject, DocumentValue } from "@tablekeep/shadow";

/** DynamoDB's description of a table in wire format: dates as seconds since 1970. */
export function wireDescription(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(wireDescription);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wireDescription(member)]));
}

/** An item in wire format: bytes as base64. */
export function wireItem(item: Item): object {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, wireValue(value)]));
}

function wireValue(value: AttributeValue): object {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.M !== undefined) return { M: wireItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(wireValue) };
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** An item that is not in DynamoDB's JSON; the message contains the path and the reason. */
export class InvalidItemError extends Error {}

/** An item in DynamoDB's JSON (`{ "id": { "S": "1" } }`, bytes as base64) as a port accepts it. */
export function parseItem(json: unknown): Item {
  return parseMap(json, "the item");
}

function parseMap(json: unknown, where: string): Item {
  if (!isObject(json)) throw new InvalidItemError(`${where} must be an object`);
  const entries = Object.entries(json);
  // Defines own members: an attribute may be called __proto__.
  return Object.fromEntries(entries.map(([name, value]) => [name, parseValue(value, name)]));
}

function parseValue(json: unknown, where: string): AttributeValue {
  const [entry, ...more] = isObject(json) ? Object.entries(json) : [];
  if (entry === undefined || more.length > 0) {
    throw new InvalidItemError(
      `attribute ${where} must be in DynamoDB's JSON: an object with one member that names its type, such as {"S":"ann"} or {"N":"5"}`,
    );
  }
  const [type, content] = entry;
  const parse = isTypeName(type) ? parsers[type] : undefined;
  if (parse === undefined) throw new InvalidItemError(`attribute ${where} has the unknown type ${type}`);
  return parse(content, where);
}

type Parser = (content: unknown, where: string) => AttributeValue;

const parsers: Readonly<Record<string, Parser>> = {
  S: (content, where) => ({ S: text(content, where) }),
  N: (content, where) => ({ N: text(content, where) }),
  B: (content, where) => ({ B: bytes(content, where) }),
  BOOL: (content, where) => ({ BOOL: flag(content, where) }),
  NULL: (content, where) => ({ NULL: flag(content, where) as true }),
  SS: (content, where) => ({ SS: list(content, where).map((each) => text(each, where)) }),
  NS: (content, where) => ({ NS: list(content, where).map((each) => text(each, where)) }),
  BS: (content, where) => ({ BS: list(content, where).map((each) => bytes(each, where)) }),
  L: (content, where) => ({ L: list(content, where).map((each, at) => parseValue(each, `${where}[${at}]`)) }),
  M: (content, where) => ({ M: parseMap(content, `attribute ${where}`) }),
};

/** Whether DynamoDB's JSON has a type of this name, such as `S`. */
export function isTypeName(name: string): boolean {
  return Object.hasOwn(parsers, name);
}

function text(content: unknown, where: string): string {
  if (typeof content === "string") return content;
  throw new InvalidItemError(`attribute ${where} must be a string`);
}

function flag(content: unknown, where: string): boolean {
  if (typeof content === "boolean") return content;
  throw new InvalidItemError(`attribute ${where} must be true or false`);
}

function bytes(content: unknown, where: string): Uint8Array {
  const base64 = text(content, where);
  if (base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    return Uint8Array.from(Buffer.from(base64, "base64"));
  }
  throw new InvalidItemError(`attribute ${where} must be base64`);
}

function list(content: unknown, where: string): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw new InvalidItemError(`attribute ${where} must be a list`);
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** An item of plain JSON: `{ "id": "1", "total": 5 }`. Numbers keep all their digits. */
export function itemOfDocument(document: DocumentObject): Item {
  const entries = Object.entries(document);
  // Defines own members: an attribute may be called __proto__.
  return Object.fromEntries(entries.map(([name, value]) => [name, valueOfDocument(value)]));
}

function valueOfDocument(value: DocumentValue): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(valueOfDocument) };
  // A number of any size is a number, a bigint or an object that prints its digits.
  const isMap = typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
  return isMap ? { M: itemOfDocument(value as DocumentObject) } : { N: String(value) };
}
