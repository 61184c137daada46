import fc from "fast-check";
import type { WireItem, WireValue } from "../../src/values/wire-value.ts";

/** Few names, so that expressions match items, and hostile ones, because none is special. */
const attributeName: fc.Arbitrary<string> = fc.constantFrom(
  "a",
  "b",
  "c",
  "__proto__",
  "constructor",
  "toString",
);

const number = fc.constantFrom("0", "1", "2", "-1", "1.5", "10", "99999999999999999999", "0.001", "-2.5");
const text = fc.constantFrom("", "a", "ab", "b", "é", "𝄞", "\uffff");
const bytes = fc.constantFrom("", "AA==", "AAE=", "/w==", "AAD/");

const scalar: fc.Arbitrary<WireValue> = fc.oneof(
  { weight: 3, arbitrary: number.map((N) => ({ N })) },
  { weight: 3, arbitrary: text.map((S) => ({ S })) },
  bytes.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
  fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
  fc.uniqueArray(number, { minLength: 1, maxLength: 3 }).map((NS) => ({ NS })),
  fc.uniqueArray(bytes, { minLength: 1, maxLength: 3 }).map((BS) => ({ BS })),
);

/** Own members only: `__proto__` is one as well. */
export function ownEntries<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  const result: Record<string, Value> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

const { value } = fc.letrec<{ value: WireValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    fc.array(tie("value"), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .uniqueArray(fc.tuple(attributeName, tie("value")), { maxLength: 3, selector: ([name]) => name })
      .map((entries) => ({
        M: ownEntries(entries),
      })),
  ),
}));

/** Any attribute value, in normal form. */
export const wireValue: fc.Arbitrary<WireValue> = value;

/** Any item without a key. */
export const wireItem: fc.Arbitrary<WireItem> = fc
  .uniqueArray(fc.tuple(attributeName, value), { maxLength: 5, selector: ([name]) => name })
  .map(ownEntries);

/** A path that may or may not lead anywhere. */
export const path: fc.Arbitrary<readonly [string, ...(string | number)[]]> = fc
  .tuple(attributeName, fc.array(fc.oneof(attributeName, fc.nat({ max: 3 })), { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest]);
