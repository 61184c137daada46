import type { AttributeValue, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Constraints, item size, and CapacityUnitCalculations; public conformance suites";
const limit = 400 * 1024;
const tooLarge = "Item size has exceeded the maximum allowed size";

/** An item of exactly `bytes` bytes, of which `value` takes `cost` and the padding the rest. */
function itemOf(key: string, bytes: number, value: AttributeValue, cost: number): Item {
  const counted = "pk".length + key.length + "v".length + cost + "p".length;
  return { pk: { S: key }, v: value, p: { S: "x".repeat(bytes - counted) } };
}

/** Returns the size of a value within its item, in bytes. */
const costs: readonly (readonly [what: string, value: AttributeValue, cost: number])[] = [
  ["an ASCII string", { S: "abc" }, 3],
  ["a string by its UTF-8 bytes", { S: "é€😀" }, 9],
  ["an empty string", { S: "" }, 0],
  ["bytes", { B: Uint8Array.of(1, 2, 3, 4) }, 4],
  ["a boolean", { BOOL: false }, 1],
  ["null", { NULL: true }, 1],
  ["a set by its elements", { SS: ["a", "bc"] }, 3],
  ["an empty list", { L: [] }, 3],
  ["an empty map", { M: {} }, 3],
  ["a list with a byte for each element", { L: [{ S: "abc" }, { S: "d" }] }, 3 + 4 + 2],
  [
    "a map with its names and a byte for each entry",
    { M: { ab: { S: "c" }, d: { S: "" } } },
    3 + 2 + 1 + 1 + 2,
  ],
  ["the number 0", { N: "0" }, 1],
  ["the number 12", { N: "12" }, 2],
  ["the number 123", { N: "123" }, 3],
  ["the number 100 without its zeros", { N: "100" }, 2],
  ["the number 1E125 without its exponent", { N: "1E125" }, 2],
  ["the number -42 with its sign", { N: "-42" }, 3],
  ["the number 1.5 by its two halves", { N: "1.5" }, 3],
  ["the number 3.14159 by its two halves", { N: "3.14159" }, 5],
  ["a number of 38 digits", { N: "12345678901234567890123456789012345678" }, 20],
];

export const itemSizeCases: readonly PortCase[] = [
  ...costs.map(
    ([what, value, cost]): PortCase => ({
      name: `an item of 409,600 bytes fits and one of 409,601 does not, counting ${what}`,
      source,
      async run({ port, tables, unique }) {
        const key = unique();
        const put = (bytes: number) =>
          port.putItem({ TableName: tables.simple, Item: itemOf(key, bytes, value, cost) });
        await refuses(put(limit + 1), "ValidationException", tooLarge);
        await put(limit);
      },
    }),
  ),
  {
    name: "an update that makes an item too large is refused",
    source,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, a: { S: "x".repeat(300_000) } } });
      const grow = port.updateItem({
        TableName: tables.simple,
        Key,
        UpdateExpression: "SET b = :v",
        ExpressionAttributeValues: { ":v": { S: "x".repeat(120_000) } },
      });
      await refuses(grow, "ValidationException", "Item size to update has exceeded the maximum allowed size");
      const read = await port.getItem({ TableName: tables.simple, Key, ProjectionExpression: "b" });
      same(read, { Item: {} });
    },
  },
  {
    name: "an update that copies an attribute counts the copy",
    source,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, a: { S: "x".repeat(250_000) } } });
      const copy = port.updateItem({ TableName: tables.simple, Key, UpdateExpression: "SET b = a" });
      await refuses(copy, "ValidationException", "Item size to update has exceeded the maximum allowed size");
    },
  },
];
