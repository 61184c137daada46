import type { Item } from "@tablekeep/core";

/** Attributes of every type, without a key: what the cases on conditions and updates start from. */
export const sampleItem: Item = {
  s: { S: "hello" },
  blank: { S: "" },
  n: { N: "5" },
  b: { B: Uint8Array.of(1, 2, 3) },
  yes: { BOOL: true },
  nul: { NULL: true },
  ss: { SS: ["a", "b", "c"] },
  ns: { NS: ["1", "2.5", "10"] },
  bs: { BS: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
  l: { L: [{ N: "1" }, { S: "x" }, { M: { a: { N: "20" } } }, { L: [{ N: "30" }, { N: "31" }] }] },
  m: { M: { a: { M: { b: { S: "deep" } } }, n: { N: "7" }, "c.d": { S: "dotted" } } },
  "a.b": { S: "a name with a dot" },
  "a-b": { S: "a name with a dash" },
  name: { S: "a reserved word" },
};
