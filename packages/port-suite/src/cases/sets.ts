import type { AttributeValue } from "@tablekeep/core";
import { l, m, pk } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

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

const rejected: readonly (readonly [what: string, value: AttributeValue, says: string | RegExp])[] = [
  ["no strings", { SS: [] }, `${invalid}An string set  may not be empty`],
  ["no numbers", { NS: [] }, `${invalid}An number set  may not be empty`],
  ["no bytes", { BS: [] }, `${invalid}Binary sets should not be empty`],
  ["a string twice", { SS: ["a", "b", "a"] }, /Input collection .* contains duplicates/],
  ["a number twice", { NS: ["1", "1"] }, /Input collection .*contains duplicates/],
  ["a number written twice in two ways", { NS: ["1", "1.0"] }, /Input collection .*contains duplicates/],
  ["bytes twice", { BS: [bytes(1), bytes(1)] }, /Input collection .* contains duplicates/],
];

export const setCases: readonly PortCase[] = cases(
  { source: "AWS docs: HowItWorks.NamingRulesDataTypes, sets; public conformance suites", table: "simple" },
  [
    ...stored.map(
      ([what, written, read]): Row => ({
        name: `a set of ${what} is stored`,
        putItem: { Item: { pk, a: written } },
        after: { simple: [{ pk, a: read }] },
      }),
    ),
    ...rejected.map(
      ([what, value, says]): Row => ({
        name: `a set of ${what} is rejected, at any depth`,
        steps: [value, l(value), m({ deep: l(m({ er: value })) })].map((a) => ({ putItem: { Item: { pk, a } }, rejected: says })),
        after: { simple: [] },
      }),
    ),
    {
      name: "a set of numbers with something that is not a number is rejected",
      putItem: { Item: { pk, a: { NS: ["1", "one"] } } },
      rejected: "",
    },
  ],
);
