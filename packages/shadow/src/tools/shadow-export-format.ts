import type { AttributeValue, Item } from "@tablekeep/core";
import { fromAttribute, toAttribute } from "../document/document-attributes.ts";
import { type DocumentObject, type DocumentValue, isList, isObject } from "../document/document-value.ts";
import { printJson } from "../document/json.ts";
import { type Half, type RowKind, ShadowError } from "../model/shadow-error.ts";
import type { RowId } from "../rows/row-keys.ts";
import type { RowMetadata, StoredRow } from "../rows/stored-row.ts";

/** The first line of every export. */
const formatName = "tablekeep-shadows";
const formatVersion = 1;

/** A stored item of a shadow, in the form of a line. */
export interface ExportedRow extends StoredRow {
  readonly what: "row";
}

/** The remembered version of a deleted item, in the form of a line. */
export interface ExportedMemory extends RowId {
  readonly what: "memory";
  readonly version: number;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** The contents of a line. */
export type ExportLine =
  | { readonly what: "head"; readonly thing: string | undefined }
  | { readonly what: "end"; readonly lines: number }
  | ExportedRow
  | ExportedMemory;

/** The line of an item. Halves that JSON cannot represent, with bytes or sets, are in DynamoDB's JSON. */
export function rowLine(row: StoredRow): string {
  const { kind, version, timeStamp, clientToken, metadata } = row;
  const halves = halvesOf(kind).map((half): DocumentObject => {
    const value = row[half];
    return isJson(value) ? { [half]: value } : { [`${half}Attribute`]: wireValue(toAttribute(value)) };
  });
  return line({
    ...nameOf(row),
    version,
    timeStamp: String(timeStamp),
    ...(clientToken !== "" && { clientToken }),
    ...Object.assign({}, ...halves),
    ...(Object.keys(metadata).length > 0 && { metadata: metadata as DocumentObject }),
  });
}

/** The line of a deleted item's remembered version. */
export function memoryLine(memory: RowId & { readonly version: number; readonly expiresAt: number }): string {
  const { version, expiresAt } = memory;
  return line({ ...nameOf(memory), deletedVersion: version, expiresAt });
}

export function headLine(thing: string | undefined): string {
  return line({ format: formatName, version: formatVersion, ...(thing !== undefined && { thing }) });
}

export function endLine(lines: number): string {
  return line({ complete: true, lines });
}

function nameOf({ id, name, kind }: RowId): DocumentObject {
  return { thing: id, name, kind };
}

function line(document: DocumentObject): string {
  return `${printJson(document)}\n`;
}

/** The halves in an item of a kind. */
function halvesOf(kind: RowKind): readonly Half[] {
  return kind === "combined" ? ["desired", "reported"] : [kind];
}

function isJson(value: DocumentValue): boolean {
  if (value instanceof Uint8Array || value instanceof Set) return false;
  if (isList(value)) return value.every(isJson);
  return !isObject(value) || Object.values(value).every((each) => each === undefined || isJson(each));
}

/** An attribute value in DynamoDB's JSON: bytes as base64. */
function wireValue(value: AttributeValue): DocumentObject {
  if (value.B !== undefined) return { B: value.B };
  if (value.BS !== undefined) return { BS: value.BS };
  if (value.L !== undefined) return { L: value.L.map(wireValue) };
  if (value.M !== undefined) return { M: mapped(value.M, wireValue) };
  return value as unknown as DocumentObject;
}

function attributeValue(value: DocumentValue | undefined): AttributeValue {
  if (!isObject(value)) throw new TypeError("not an attribute value");
  const bytes = (text: DocumentValue) => new Uint8Array(Buffer.from(String(text), "base64"));
  const { B, BS, L, M } = value;
  if (B !== undefined) return { B: bytes(B) };
  if (isList(BS)) return { BS: BS.map(bytes) };
  if (isList(L)) return { L: L.map(attributeValue) };
  if (isObject(M)) return { M: mapped(M, attributeValue) as Item };
  return value as unknown as AttributeValue;
}

function mapped<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To) {
  // Defines own members: a key may be __proto__.
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** Returns the content of a parsed line. Throws `SHADOW_EXPORT_INVALID` for anything that no export contains. */
export function readLine(value: DocumentValue, number: number): ExportLine {
  if (!isObject(value)) throw exportInvalid(number, "is not a JSON object");
  if (value["format"] !== undefined) return readHead(value, number);
  if (value["complete"] === true) return { what: "end", lines: integer(value["lines"], "lines", number) };
  const { thing: id, name, kind } = value;
  if (typeof id !== "string" || typeof name !== "string" || !isKind(kind))
    throw exportInvalid(number, "has no thing, name and kind of a shadow");
  const row = { id, name, kind };
  if (value["deletedVersion"] !== undefined) {
    const version = integer(value["deletedVersion"], "deletedVersion", number);
    return { what: "memory", ...row, version, expiresAt: integer(value["expiresAt"], "expiresAt", number) };
  }
  return readRowLine(row, value, number);
}

function readHead({ format, version, thing }: DocumentObject, number: number): ExportLine {
  if (format !== formatName) throw exportInvalid(number, `has the format ${JSON.stringify(format)}`);
  if (version !== formatVersion)
    throw exportInvalid(number, `has version ${String(version)}, which was written by a newer Tablekeep`);
  return { what: "head", thing: typeof thing === "string" ? thing : undefined };
}

function readRowLine(row: RowId, value: DocumentObject, number: number): ExportedRow {
  const { timeStamp, clientToken = "", metadata = {} } = value;
  if (typeof timeStamp !== "string" || !/^-?\d{1,30}$/.test(timeStamp))
    throw exportInvalid(number, "has no timeStamp in nanoseconds");
  if (typeof clientToken !== "string") throw exportInvalid(number, "has a clientToken that is not a string");
  if (!isObject(metadata)) throw exportInvalid(number, "has metadata that is not an object");
  const half = (name: Half): DocumentValue =>
    halvesOf(row.kind).includes(name) ? readHalf(value, name, number) : null;
  return {
    what: "row",
    ...row,
    version: integer(value["version"], "version", number),
    timeStamp: BigInt(timeStamp),
    clientToken,
    desired: half("desired"),
    reported: half("reported"),
    metadata: metadata as RowMetadata,
  };
}

function readHalf(value: DocumentObject, half: Half, number: number): DocumentValue {
  const [plain, attribute] = [value[half], value[`${half}Attribute`]];
  if (plain !== undefined) return plain;
  if (attribute === undefined) throw exportInvalid(number, `has no ${half} state`);
  try {
    return fromAttribute(attributeValue(attribute));
  } catch {
    throw exportInvalid(number, `has a ${half} state that is not in DynamoDB's JSON`);
  }
}

function integer(value: DocumentValue | undefined, name: string, number: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw exportInvalid(number, `has no ${name} that is an integer of at least 0`);
}

function isKind(value: DocumentValue | undefined): value is RowKind {
  return value === "combined" || value === "desired" || value === "reported";
}

export function exportInvalid(number: number, reason: string): ShadowError<"SHADOW_EXPORT_INVALID"> {
  return new ShadowError("SHADOW_EXPORT_INVALID", `line ${number} of the export ${reason}`, {
    line: number,
    reason,
  });
}
