import { conditionCase } from "../condition-cases.ts";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: HowItWorks.NamingRulesDataTypes, Number; public conformance suites";

const digits38 = "12345678901234567890123456789012345678";

const normalForms: readonly (readonly [written: string, stored: string])[] = [
  ["00042", "42"],
  ["+5", "5"],
  ["-7.1234", "-7.1234"],
  [".5", "0.5"],
  ["1.50", "1.5"],
  ["-0", "0"],
  ["-0.00", "0"],
  ["0e1000", "0"],
  ["1E2", "100"],
  ["1e+2", "100"],
  ["-17E5", "-1700000"],
  ["123E-3", "0.123"],
  ["1.10E-5", "0.000011"],
  [digits38, digits38],
  [`-${digits38}`, `-${digits38}`],
  [`0.${digits38}`, `0.${digits38}`],
  [`${digits38}00000`, `${digits38}00000`],
  ["314159265358979323846.26433832795028841", "314159265358979323846.26433832795028841"],
  ["9007199254740993", "9007199254740993"],
];

const overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
const underflow =
  "Number underflow. Attempting to store a number with magnitude smaller than supported range";

const refused: readonly (readonly [what: string, written: string, says?: string])[] = [
  ["39 digits", `${digits38}9`],
  ["39 digits after the point", `0.${digits38}9`],
  ["39 digits before zeros", `${digits38}900000`],
  ["1E126", "1E126", overflow],
  ["-1E126", "-1E126", overflow],
  ["11E125", "11E125", overflow],
  ["1E-131", "1E-131", underflow],
  ["-0.9E-130", "-0.9E-130", underflow],
  ["an exponent of nine digits", "1E100000000", overflow],
  ["a word", "dog"],
  ["an empty text", ""],
  ["a space before", " 1"],
  ["a space behind", "1 "],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["hexadecimal digits", "0x10"],
  ["a separator", "1_000"],
  ["an exponent without digits", "1E"],
  ["two signs", "--1"],
];

/** Numbers whose plain text is long: they are compared by value. */
const extremes = ["9.9999999999999999999999999999999999999E125", "-1E125", "1E-130", "-1E-130", "1E100"];

export const numberCases: readonly PortCase[] = [
  ...normalForms.map(
    ([written, stored]): PortCase => ({
      name: `the number ${written} is stored as ${stored === written ? "written" : stored}`,
      source,
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() } };
        await port.putItem({ TableName: tables.simple, Item: { ...Key, a: { N: written } } });
        same(await port.getItem({ TableName: tables.simple, Key }), { Item: { ...Key, a: { N: stored } } });
      },
    }),
  ),
  ...extremes.map((extreme) =>
    conditionCase({
      name: `the number ${extreme} is stored exactly`,
      source,
      item: { a: { N: extreme } },
      expression: "a = :same AND a <> :other",
      values: { ":same": { N: extreme }, ":other": { N: "0" } },
      holds: true,
    }),
  ),
  ...refused.map(
    ([what, written, says]): PortCase => ({
      name: `a number is refused for ${what}`,
      source,
      async run({ port, tables, unique }) {
        const pk = { S: unique() };
        const a = { N: written };
        const deep = { M: { l: { L: [a] } } };
        for (const value of [a, deep]) {
          await refuses(
            port.putItem({ TableName: tables.simple, Item: { pk, a: value } }),
            "ValidationException",
            says,
          );
        }
        await refuses(
          port.updateItem({
            TableName: tables.simple,
            Key: { pk },
            UpdateExpression: "SET a = :v",
            ExpressionAttributeValues: { ":v": a },
          }),
          "ValidationException",
          says,
        );
      },
    }),
  ),
  {
    name: "a number key is one key however it is written",
    source,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const TableName = tables.numeric;
      await port.putItem({ TableName, Item: { pk, n: { N: "1.0" }, a: { S: "first" } } });
      await port.putItem({ TableName, Item: { pk, n: { N: "10E-1" }, a: { S: "second" } } });
      const expected = { Item: { pk, n: { N: "1" }, a: { S: "second" } } };
      same(await port.getItem({ TableName, Key: { pk, n: { N: "001" } } }), expected);
    },
  },
  {
    name: "a number key of -0 is the key 0",
    source,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      await port.putItem({ TableName: tables.numeric, Item: { pk, n: { N: "-0" } } });
      same(await port.getItem({ TableName: tables.numeric, Key: { pk, n: { N: "0.0" } } }), {
        Item: { pk, n: { N: "0" } },
      });
    },
  },
  {
    name: "a number key is told apart in its 38th digit",
    source,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const neighbour = `${digits38.slice(0, -1)}9`;
      await port.putItem({ TableName: tables.numeric, Item: { pk, n: { N: digits38 } } });
      same(await port.getItem({ TableName: tables.numeric, Key: { pk, n: { N: neighbour } } }), {});
    },
  },
];
