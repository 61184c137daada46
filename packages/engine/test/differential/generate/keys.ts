import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";
import type { KeyPart, TestTable } from "../tables.ts";
import { mostly, present, sometimes } from "./sometimes.ts";
import { anyValue, attributes } from "./values.ts";

const pools: Readonly<Record<KeyPart["type"], readonly AttributeValue[]>> = {
  S: ["a", "ab", "b", "é", "\u{1f600}", "\uffee"].map((S) => ({ S })),
  N: ["1", "1.0", "-5", "0", "10", "2.5", "1e2"].map((N) => ({ N })),
  B: [[1], [1, 2], [1, 255], [255], [0]].map((content) => ({ B: Uint8Array.from(content) })),
};

/** A valid value of a key attribute; partition keys come from a smaller pool. */
export function keyValue({ type }: KeyPart, poolSize = 7): fc.Arbitrary<AttributeValue> {
  return fc.constantFrom(...pools[type].slice(0, poolSize));
}

const unfit: fc.Arbitrary<AttributeValue | undefined> = fc.oneof(
  fc.constant(undefined),
  anyValue(0),
  fc.constantFrom<AttributeValue[]>(
    { S: "" },
    { B: new Uint8Array() },
    { S: "k".repeat(2049) },
    { S: "k".repeat(1025) },
    { N: "dog" },
  ),
);

/** The key of an item of the table. */
export function key(table: TestTable): fc.Arbitrary<Item> {
  return fc.record({
    [table.hash.name]: keyValue(table.hash, 3),
    ...(table.range && { [table.range.name]: keyValue(table.range) }),
  });
}

/** Mostly a key; sometimes an attribute is wrong, missing or superfluous. */
export function keyOrInvalid(table: TestTable): fc.Arbitrary<Item> {
  return mostly(key(table), oddKey(table));
}

function oddKey(table: TestTable): fc.Arbitrary<Item> {
  const names = [table.hash.name, ...(table.range ? [table.range.name] : []), "c"];
  return fc
    .tuple(key(table), fc.constantFrom(...names), unfit)
    .map(([whole, name, value]) => present({ ...whole, [name]: value } as Item));
}

/** An item of the table, mostly valid. */
export function item(table: TestTable): fc.Arbitrary<Item> {
  const indexParts = new Map(
    table.paths
      .flatMap(({ hash, range }) => [hash, ...(range ? [range] : [])])
      .map((each) => [each.name, each]),
  );
  indexParts.delete(table.hash.name);
  if (table.range) indexParts.delete(table.range.name);
  const indexed = fc.record(
    Object.fromEntries(
      [...indexParts.values()].map((each) => [
        each.name,
        sometimes(80, mostly<AttributeValue | undefined>(keyValue(each, 4), fc.constant(undefined), unfit)),
      ]),
    ),
  );
  return fc
    .tuple(attributes, indexed, keyOrInvalid(table))
    .map(([plain, index, own]) => present({ ...plain, ...index, ...own } as Item));
}
