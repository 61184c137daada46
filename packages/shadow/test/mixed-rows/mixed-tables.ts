/** Tables in which godeviceshadow, this package and strangers have written. */
import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";

export const now = Date.UTC(2026, 0, 1);
export const ids = ["a", "b:1"] as const;
export const names = ["", "n", "m-2"] as const;
const prefixes = { combined: "DSC#", reported: "DSR#", desired: "DSD#" } as const;
const memoryPrefixes = { combined: "DST#C#", reported: "DST#R#", desired: "DST#D#" } as const;
export type Kind = keyof typeof prefixes;
export const kinds = ["combined", "reported", "desired"] as const;

const key = fc.constantFrom("on", "level", "__proto__", "ü", "");
const leaf: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.constantFrom("", "x", 'q"\\').map((S) => ({ S })),
  fc.constantFrom("0", "1", "-5", "0.5", "9007199254740993").map((N) => ({ N })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
);
const { map } = fc.letrec<{ value: AttributeValue; map: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    leaf,
    tie("map"),
    fc.array(tie("value"), { maxLength: 2 }).map((L) => ({ L })),
  ),
  map: fc
    .array(
      fc.tuple(
        key.filter((name) => name !== ""),
        tie("value"),
      ),
      { maxLength: 3 },
    )
    .map((entries) => ({ M: Object.fromEntries(entries) })),
}));
/** A model: mostly a map, but the original also stores scalars, lists and nothing. */
const model = fc.oneof(
  { weight: 5, arbitrary: map },
  fc.constant<AttributeValue>({ NULL: true }),
  fc.constant(undefined),
  leaf,
  fc.array(leaf, { maxLength: 2 }).map((L): AttributeValue => ({ L })),
);
const version = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }).map((n): AttributeValue => ({ N: String(n) })) },
  fc.constantFrom<AttributeValue | undefined>(
    undefined,
    { S: "7" },
    { N: "1.5" },
    { N: "-1" },
    { N: "9007199254740992" },
  ),
);
const timeStamp = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom({ N: "1794708821917405583" }, { N: "1767225600000000000" }) },
  fc.constantFrom<AttributeValue | undefined>(undefined, { N: "0.5" }),
);

/** One row, as the original writes it, as this package does, or as neither does. */
const row = fc.record({
  isOurs: fc.boolean(),
  isOddCase: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  version,
  timeStamp,
  token: fc.constantFrom<AttributeValue | undefined>({ S: "" }, { S: "t" }, undefined),
  reported: model,
  desired: model,
  extra: fc.boolean(),
});
/** A row as {@link itemOf} makes an item of it. */
export type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

const memory = fc.record({
  version: fc.integer({ min: 1, max: 40 }),
  expires: fc.constantFrom(-3600, 3600),
});

const place = fc.record({
  id: fc.constantFrom(...ids),
  name: fc.constantFrom(...names),
  kind: fc.constantFrom(...kinds),
});
export const tables = fc.record({
  rows: fc.uniqueArray(fc.tuple(place, row), { selector: ([at]) => JSON.stringify(at), maxLength: 8 }),
  memories: fc.uniqueArray(fc.tuple(place, memory), { selector: ([at]) => JSON.stringify(at), maxLength: 4 }),
  limit: fc.integer({ min: 1, max: 5 }),
});

export type Place = { readonly id: string; readonly name: string; readonly kind: Kind };

export function itemOf({ id, name, kind }: Place, given: Row): Item {
  const attributes: Record<string, AttributeValue | undefined> = {
    Version: given.version,
    TimeStamp: given.timeStamp,
    ClientToken: given.token,
    Reported: kind === "desired" ? { NULL: true } : given.reported,
    Desired: kind === "reported" ? { NULL: true } : given.desired,
    ...(given.isOurs && { WriteId: { S: "w" }, Metadata: { S: "{}" } }),
    ...(given.extra && { ttl: { N: "1" }, Owner: { S: "others" } }),
  };
  const spelled = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [[given.isOddCase ? attribute.toLowerCase() : attribute, value] as const],
  );
  return { PK: { S: `DS#${id}` }, SK: { S: prefixes[kind] + name }, ...Object.fromEntries(spelled) };
}

export function memoryItem(
  { id, name, kind }: Place,
  { version: n, expires }: { version: number; expires: number },
) {
  return {
    PK: { S: `DS#${id}` },
    SK: { S: memoryPrefixes[kind] + name },
    Version: { N: String(n) },
    ExpiresAt: { N: String(now / 1000 + expires) },
  };
}

/** Rows of others in the same table. */
export const foreign: readonly Item[] = [
  { PK: { S: "USER#1" }, SK: { S: "DSC#" }, Version: { N: "1" } },
  { PK: { S: "DS#a" }, SK: { S: "DSX#n" }, Version: { N: "1" } },
  { PK: { S: "DS#a" }, SK: { S: "notes" } },
];
