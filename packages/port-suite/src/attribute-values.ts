/** Attribute values in one word, and what the cases build from them. */
import type { AttributeValue, Item } from "@tablekeep/core";

/** A string. */
export const s = (value: string): AttributeValue & { S: string } => ({ S: value });

/** A number, as it is written. */
export const n = (value: number | string): AttributeValue & { N: string } => ({ N: String(value) });

/** Bytes. */
export const b = (...bytes: number[]): AttributeValue & { B: Uint8Array } => ({ B: Uint8Array.from(bytes) });

/** A set of strings. */
export const ss = (...values: string[]): AttributeValue => ({ SS: values });

/** A set of numbers, as they are written. */
export const ns = (...values: (number | string)[]): AttributeValue => ({ NS: values.map(String) });

/** A list. */
export const l = (...values: AttributeValue[]): AttributeValue => ({ L: values });

/** A map. */
export const m = (entries: Item): AttributeValue => ({ M: entries });

/** Returns a string of this many bytes, to fill an item. */
export const fill = (bytes: number): AttributeValue => s("x".repeat(bytes));

/** The key that rows of a table with the partition key `pk` use. */
export const pk: AttributeValue & { S: string } = s("$pk");

/** The numbers 0 to `count - 1`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
