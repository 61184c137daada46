import type { AttributeValue, Item } from "@tablekeep/core";
import { b, fill, l, m, n, pk, s, ss } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { rejects } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";

const limit = 400 * 1024;
const tooLarge = "Item size has exceeded the maximum allowed size";

/** An item of exactly `bytes` bytes, of which `value` takes `cost` and the padding the rest. */
function itemOf(key: string, bytes: number, value: AttributeValue, cost: number): Item {
  const counted = "pk".length + key.length + "v".length + cost + "p".length;
  return { pk: s(key), v: value, p: fill(bytes - counted) };
}

/** The size of a value within its item, in bytes. */
const costs: readonly (readonly [what: string, value: AttributeValue, cost: number])[] = [
  ["an ASCII string", s("abc"), 3],
  ["a string by its UTF-8 bytes", s("é€😀"), 9],
  ["an empty string", s(""), 0],
  ["bytes", b(1, 2, 3, 4), 4],
  ["a boolean", { BOOL: false }, 1],
  ["null", { NULL: true }, 1],
  ["a set by its elements", ss("a", "bc"), 3],
  ["an empty list", l(), 3],
  ["an empty map", m({}), 3],
  ["a list with a byte for each element", l(s("abc"), s("d")), 3 + 4 + 2],
  ["a map with its names and a byte for each entry", m({ ab: s("c"), d: s("") }), 3 + 2 + 1 + 1 + 2],
  ["the number 0", n(0), 1],
  ["the number 12", n(12), 2],
  ["the number 123", n(123), 3],
  ["the number 100 without its zeros", n(100), 2],
  ["the number 1E125 without its exponent", n("1E125"), 2],
  ["the number -42 with its sign", n(-42), 3],
  ["the number 1.5 by its two halves", n("1.5"), 3],
  ["the number 3.14159 by its two halves", n("3.14159"), 5],
  ["a number of 38 digits", n("12345678901234567890123456789012345678"), 20],
];

const updateTooLarge = "Item size to update has exceeded the maximum allowed size";

export const itemSizeCases: readonly PortCase[] = cases(
  { source: "AWS docs: Constraints, item size, and CapacityUnitCalculations; public conformance suites", table: "simple" },
  [
    ...costs.map(([what, value, cost]) => ({
      name: `an item of 409,600 bytes fits and one of 409,601 does not, counting ${what}`,
      async run({ port, tables, unique }: PortWorld) {
        const key = unique();
        const put = (bytes: number) => port.putItem({ TableName: tables.simple, Item: itemOf(key, bytes, value, cost) });
        await rejects(put(limit + 1), "ValidationException", tooLarge);
        await put(limit);
      },
    })),
    {
      name: "an update that makes an item too large is rejected",
      given: { simple: [{ pk, a: fill(300_000) }] },
      updateItem: { Key: { pk }, UpdateExpression: "SET b = :v", ExpressionAttributeValues: { ":v": fill(120_000) } },
      rejected: updateTooLarge,
      after: { simple: [{ pk, a: fill(300_000) }] },
    },
    {
      name: "an update that copies an attribute counts the copy",
      given: { simple: [{ pk, a: fill(250_000) }] },
      updateItem: { Key: { pk }, UpdateExpression: "SET b = a" },
      rejected: updateTooLarge,
    },
  ],
);
