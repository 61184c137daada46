import type { AttributeValue } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: HowItWorks.NamingRulesDataTypes, sets; public conformance suites";
const bytes = (...values: number[]) => Uint8Array.from(values);
const invalid = "One or more parameter values were invalid: ";

const stored: readonly (readonly [what: string, written: AttributeValue, read: AttributeValue])[] = [
  ["strings, whatever their order", { SS: ["b", "a", "c"] }, { SS: ["a", "b", "c"] }],
  ["numbers in their normal form", { NS: ["1.0", "2E1", "-0"] }, { NS: ["0", "1", "20"] }],
  ["bytes", { BS: [bytes(255), bytes(0), bytes(0, 0)] }, { BS: [bytes(0), bytes(0, 0), bytes(255)] }],
  ["one element", { SS: ["only"] }, { SS: ["only"] }],
  ["the empty string", { SS: ["", "a"] }, { SS: ["", "a"] }],
  ["empty bytes", { BS: [bytes(), bytes(1)] }, { BS: [bytes(), bytes(1)] }],
  ["strings that differ in case", { SS: ["a", "A"] }, { SS: ["A", "a"] }],
  ["strings that look like equal numbers", { SS: ["1", "1.0"] }, { SS: ["1", "1.0"] }],
];

const refused: readonly (readonly [what: string, value: AttributeValue, says: string | RegExp])[] = [
  ["no strings", { SS: [] }, `${invalid}An string set  may not be empty`],
  ["no numbers", { NS: [] }, `${invalid}An number set  may not be empty`],
  ["no bytes", { BS: [] }, `${invalid}Binary sets should not be empty`],
  ["a string twice", { SS: ["a", "b", "a"] }, /Input collection .* contains duplicates/],
  ["a number twice", { NS: ["1", "1"] }, /Input collection .*contains duplicates/],
  ["a number written twice in two ways", { NS: ["1", "1.0"] }, /Input collection .*contains duplicates/],
  ["bytes twice", { BS: [bytes(1), bytes(1)] }, /Input collection .* contains duplicates/],
];

export const setCases: readonly PortCase[] = [
  ...stored.map(
    ([what, written, read]): PortCase => ({
      name: `a set of ${what} is stored`,
      source,
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() } };
        await port.putItem({ TableName: tables.simple, Item: { ...Key, a: written } });
        same(await port.getItem({ TableName: tables.simple, Key }), { Item: { ...Key, a: read } });
      },
    }),
  ),
  ...refused.map(
    ([what, value, says]): PortCase => ({
      name: `a set of ${what} is refused, at any depth`,
      source,
      async run({ port, tables, unique }) {
        const pk = { S: unique() };
        for (const a of [value, { L: [value] }, { M: { deep: { L: [{ M: { er: value } }] } } }]) {
          const put = port.putItem({ TableName: tables.simple, Item: { pk, a } });
          await refuses(put, "ValidationException", says);
        }
        same(await port.getItem({ TableName: tables.simple, Key: { pk } }), {});
      },
    }),
  ),
  {
    name: "a set of something that is no number among numbers is refused",
    source,
    async run({ port, tables, unique }) {
      const put = port.putItem({
        TableName: tables.simple,
        Item: { pk: { S: unique() }, a: { NS: ["1", "one"] } },
      });
      await refuses(put, "ValidationException");
    },
  },
];
