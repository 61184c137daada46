import { ClientError } from "../base/client-error.ts";
import type { KeyAttribute, ReservedCapacity, TableSpec } from "./table-spec.ts";

const namePattern = /^[a-zA-Z0-9_.-]{3,255}$/;
const keyTypes: ReadonlySet<string> = new Set(["S", "N", "B"]);
const specFields: ReadonlySet<string> = new Set([
  "name",
  "partitionKey",
  "sortKey",
  "localIndexes",
  "globalIndexes",
  "billing",
  "ttlAttribute",
  "stream",
  "deletionProtection",
  "tableClass",
  "tags",
] satisfies (keyof TableSpec)[]);

/** Throws `CLIENT_OPTION_INVALID` for a specification that DynamoDB would reject. */
export function checkTableSpec(spec: TableSpec): void {
  for (const field of Object.keys(spec)) {
    if (!specFields.has(field)) reject(field, "is not a field of a table specification");
  }
  checkName("name", spec.name);
  if (spec.partitionKey === undefined) reject("partitionKey", "is missing: a table needs one");
  checkKeys("", spec.partitionKey, spec.sortKey);
  checkIndexes(spec);
  keyAttributes(spec);
  if (spec.billing !== undefined && spec.billing !== "on-demand") checkCapacity("billing", spec.billing);
  if (spec.ttlAttribute === "") reject("ttlAttribute", "must not be empty");
}

/** Every key attribute of the table and its indexes, once each, in order of appearance. */
export function keyAttributes(spec: TableSpec): KeyAttribute[] {
  const found = new Map<string, KeyAttribute>();
  const indexes = [...(spec.localIndexes ?? []), ...(spec.globalIndexes ?? [])];
  const keys = [spec, ...indexes].flatMap((owner) => [
    "partitionKey" in owner ? owner.partitionKey : undefined,
    owner.sortKey,
  ]);
  for (const key of keys) {
    if (key === undefined) continue;
    const earlier = found.get(key.name);
    if (earlier !== undefined && earlier.type !== key.type) {
      reject(key.name, `is a key of type ${earlier.type} and of type ${key.type}: an attribute has one type`);
    }
    found.set(key.name, key);
  }
  return [...found.values()];
}

function checkIndexes(spec: TableSpec): void {
  const names = new Set<string>();
  for (const index of [...(spec.localIndexes ?? []), ...(spec.globalIndexes ?? [])]) {
    checkName("index name", index.name);
    if (names.has(index.name)) reject(index.name, "names two indexes");
    names.add(index.name);
    checkKeys(`${index.name}: `, "partitionKey" in index ? index.partitionKey : undefined, index.sortKey);
    if (Array.isArray(index.projection) && index.projection.length === 0) {
      reject(index.name, 'projects an empty list: use "KEYS_ONLY"');
    }
  }
  for (const { name, sortKey } of spec.localIndexes ?? []) {
    if (sortKey === undefined) reject(name, "needs a sort key");
  }
  for (const index of spec.globalIndexes ?? []) {
    if (index.partitionKey === undefined) reject(index.name, "needs a partition key");
    if (index.capacity === undefined) continue;
    if (spec.billing === undefined || spec.billing === "on-demand") {
      reject(index.name, "reserves capacity although the table is on demand");
    }
    checkCapacity(index.name, index.capacity);
  }
  if ((spec.localIndexes ?? []).length > 0 && spec.sortKey === undefined) {
    reject("localIndexes", "need a table that has a sort key");
  }
}

function checkKeys(owner: string, partition: KeyAttribute | undefined, sort: KeyAttribute | undefined): void {
  for (const key of [partition, sort]) {
    if (key === undefined) continue;
    if (typeof key.name !== "string" || key.name === "") reject(`${owner}key`, "must have a name");
    if (!keyTypes.has(key.type)) reject(`${owner}${key.name}`, "must be of type S, N or B");
  }
  if (partition !== undefined && partition.name === sort?.name) {
    reject(`${owner}${sort.name}`, "cannot be both partition key and sort key");
  }
}

function checkName(option: string, name: string): void {
  if (typeof name !== "string" || !namePattern.test(name))
    reject(option, "must be 3 to 255 characters of a-z A-Z 0-9 _ - .");
}

function checkCapacity(option: string, { readUnits, writeUnits }: ReservedCapacity): void {
  for (const units of [readUnits, writeUnits]) {
    if (!Number.isInteger(units) || units < 1) reject(option, "needs readUnits and writeUnits of 1 or more");
  }
}

function reject(option: string, reason: string): never {
  throw new ClientError("CLIENT_OPTION_INVALID", `table specification: ${option} ${reason}`, {
    option,
    reason,
  });
}
