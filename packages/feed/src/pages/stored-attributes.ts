import type { AttributeValue, Item } from "@tablekeep/core";

/** Returns a stored number, of at least 0; undefined if it is missing. Throws RangeError for anything else. */
export function numberIn(item: Item, name: string): number | undefined {
  const value = item[name];
  return value === undefined ? undefined : numberOf(value, name);
}

/** Returns the value of a number. Throws RangeError for anything else. */
export function numberOf({ N }: AttributeValue, name: string): number {
  const number = N === undefined ? Number.NaN : Number(N);
  if (number >= 0 && Number.isFinite(number)) return number;
  throw new RangeError(`attribute ${name} is not a number of at least 0`);
}

/** Returns a stored number. Throws RangeError if it is missing, or anything else. */
export function requiredNumberIn(item: Item, name: string): number {
  const number = numberIn(item, name);
  if (number === undefined) throw new RangeError(`attribute ${name} is missing`);
  return number;
}

/** Returns a stored string; undefined if it is missing. Throws RangeError for anything else. */
export function textIn(item: Item, name: string): string | undefined {
  const value = item[name];
  if (value === undefined || value.S !== undefined) return value?.S;
  throw new RangeError(`attribute ${name} is not a string`);
}

/** Returns a stored map; an empty one if it is missing. Throws RangeError for anything else. */
export function mapIn(item: Item, name: string): Item {
  const value = item[name];
  if (value === undefined || value.M !== undefined) return value?.M ?? {};
  throw new RangeError(`attribute ${name} is not a map`);
}

/** Returns a stored list; an empty one if it is missing. Throws RangeError for anything else. */
export function listIn(item: Item, name: string): readonly AttributeValue[] {
  const value = item[name];
  if (value === undefined || value.L !== undefined) return value?.L ?? [];
  throw new RangeError(`attribute ${name} is not a list`);
}

/** Returns the value of a stream's sequence number. Throws RangeError for anything else. */
export function sequenceIn(value: AttributeValue | undefined, name: string): bigint {
  if (value?.S !== undefined && /^[0-9]{1,60}$/.test(value.S)) return BigInt(value.S);
  throw new RangeError(`attribute ${name} has a value that is not a sequence number`);
}
