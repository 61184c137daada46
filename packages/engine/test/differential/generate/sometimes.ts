import fc from "fast-check";

/** `arbitrary` in this many of a hundred cases, otherwise nothing. Shrinks to nothing. */
export function sometimes<Value>(
  percent: number,
  arbitrary: fc.Arbitrary<Value>,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary },
  );
}

/** Mostly the first, else one of the others. */
export function mostly<Value>(
  usual: fc.Arbitrary<Value>,
  ...others: readonly fc.Arbitrary<Value>[]
): fc.Arbitrary<Value> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12 * others.length, arbitrary: usual },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

/** Removes undefined members. */
export function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
