import fc from "fast-check";
import type { WireItem, WireValue } from "../../src/values/wire-value.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "a", "{", "}", ":", ",", "ä", "😀", "\ud800") }),
  fc.string({ minLength: 13, maxLength: 40 }),
);
const name = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "1", "S", ""));
const number = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom("0", "-1.5", "99999999999999999999999999999999999999"),
);
const setOf = (element: fc.Arbitrary<string>) => fc.array(element, { minLength: 1, maxLength: 3 });
const { value } = fc.letrec<{ value: WireValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.record({ S: text }),
    fc.record({ N: number }),
    fc.record({ B: fc.base64String() }),
    fc.record({ BOOL: fc.boolean() }),
    fc.record({ NULL: fc.constant(true) }),
    fc.record({ SS: setOf(text) }),
    fc.record({ NS: setOf(number) }),
    fc.record({ BS: setOf(fc.base64String()) }),
    fc.record({ L: fc.array(tie("value"), { maxLength: 3 }) }),
    fc.record({ M: fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }) }),
  ),
}));

/** Items of all types, with names and strings that JSON must escape. */
export const anyItem: fc.Arbitrary<WireItem> = fc.dictionary(name, value, { maxKeys: 5 });
