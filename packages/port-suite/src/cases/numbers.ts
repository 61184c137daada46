import { l, m, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

const digits38 = "12345678901234567890123456789012345678";

const normalForms: readonly (readonly [written: string, stored: string])[] = [
  ["00042", "42"],
  ["+5", "5"],
  ["-7.1234", "-7.1234"],
  [".5", "0.5"],
  ["1.50", "1.5"],
  ["-0", "0"],
  ["-0.00", "0"],
  ["0e125", "0"],
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
const underflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range";

const rejected: readonly (readonly [what: string, written: string, says?: string, gap?: string])[] = [
  ["zero with an exponent of 126", "0e126", overflow, "accepts it"],
  ["zero with an exponent of -131", "0e-131", underflow, "accepts it"],
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

export const numberCases: readonly PortCase[] = cases(
  { source: "AWS docs: HowItWorks.NamingRulesDataTypes, Number; public conformance suites", table: "simple" },
  [
    ...normalForms.map(
      ([written, stored]): Row => ({
        name: `the number ${written} is stored as ${stored === written ? "written" : stored}`,
        putItem: { Item: { pk, a: n(written) } },
        after: { simple: [{ pk, a: n(stored) }] },
      }),
    ),
    ...extremes.map((extreme) =>
      conditionRow({
        name: `the number ${extreme} is stored exactly`,
        item: { a: n(extreme) },
        expression: "a = :same AND a <> :other",
        values: { ":same": n(extreme), ":other": n(0) },
        holds: true,
      }),
    ),
    ...rejected.map(([what, written, says = "", gap]): Row => {
      const set = { UpdateExpression: "SET a = :v", ExpressionAttributeValues: { ":v": n(written) } };
      return {
        name: `a number is rejected for ${what}`,
        gap,
        steps: [
          { putItem: { Item: { pk, a: n(written) } }, rejected: says },
          { putItem: { Item: { pk, a: m({ l: l(n(written)) }) } }, rejected: says },
          { updateItem: { Key: { pk }, ...set }, rejected: says },
        ],
        after: { simple: [] },
      };
    }),
    {
      name: "a number key is one key however it is written",
      table: "numeric",
      steps: [
        { putItem: { Item: { pk, n: n("1.0"), a: s("first") } } },
        { putItem: { Item: { pk, n: n("10E-1"), a: s("second") } } },
        { getItem: { Key: { pk, n: n("001") } }, returns: { Item: { pk, n: n(1), a: s("second") } } },
      ],
    },
    {
      name: "a number key of -0 is the key 0",
      table: "numeric",
      steps: [
        { putItem: { Item: { pk, n: n("-0") } } },
        { getItem: { Key: { pk, n: n("0.0") } }, returns: { Item: { pk, n: n(0) } } },
      ],
    },
    {
      name: "a number key is distinguished in its 38th digit",
      table: "numeric",
      given: { numeric: [{ pk, n: n(digits38) }] },
      getItem: { Key: { pk, n: n(`${digits38.slice(0, -1)}9`) } },
      returns: {},
    },
  ],
);
