import { isDynamoError } from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openThings, type Things } from "./things.ts";

/** Every sort key that the conditions below can tell apart. */
const points = ["A", "a", "aa", "b", "bb", "c", "cc"];

interface OnSortKey {
  readonly text: string;
  readonly holds: (sk: string) => boolean;
}

const key = fc.constantFrom("a", "b", "c");
const onSortKey: fc.Arbitrary<OnSortKey> = fc.oneof(
  fc.constant({ text: "n > 0", holds: () => true }),
  key.map((at) => ({ text: `sk = '${at}'`, holds: (sk: string) => sk === at })),
  key.map((at) => ({ text: `sk < '${at}'`, holds: (sk: string) => sk < at })),
  key.map((at) => ({ text: `sk >= '${at}'`, holds: (sk: string) => sk >= at })),
  key.map((at) => ({ text: `begins_with(sk, '${at}')`, holds: (sk: string) => sk.startsWith(at) })),
  fc.tuple(key, key).map(([from, to]) => ({
    text: `sk > '${from}' AND sk <= '${to}'`,
    holds: (sk: string) => sk > from && sk <= to,
  })),
);
const alternative = fc.record({ pk: fc.constantFrom("p", "q"), on: onSortKey });

let things: Things;
beforeAll(async () => {
  things = await openThings();
});
afterAll(() => things.engine.close());

test("a SELECT is rejected exactly if two of its alternatives have a key in common", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(alternative, { minLength: 1, maxLength: 4 }), async (alternatives) => {
      const where = alternatives.map(({ pk, on }) => `(pk = '${pk}' AND ${on.text})`).join(" OR ");
      const overlaps = ["p", "q"].some((pk) =>
        points.some((sk) => alternatives.filter((each) => each.pk === pk && each.on.holds(sk)).length > 1),
      );
      const answer = await things
        .execute(`SELECT * FROM things WHERE ${where}`)
        .catch((error: unknown) => error);
      const message = isDynamoError(answer) ? answer.details.serviceMessage : "";
      expect([where, message.startsWith("Overlapping conditions")]).toEqual([where, overlaps]);
    }),
    { numRuns: 500, seed: 20_261_117 },
  );
});
