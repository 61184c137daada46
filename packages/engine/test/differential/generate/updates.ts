import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import type { Fragment } from "./expression.ts";
import { attributeOf, path, separatePaths } from "./paths.ts";
import { mostly } from "./sometimes.ts";
import { anyValue, byteSet, numberSet, numbers, rejectedValue, textSet, valueFor } from "./values.ts";

const literal = mostly(anyValue(), rejectedValue).map((value): Fragment => [{ value }]);
const number = numbers.map((N): Fragment => [{ value: { N } }]);
const list = fc.array(anyValue(0), { maxLength: 2 }).map((L): Fragment => [{ value: { L } }]);

const call = (
  name: string,
  left: fc.Arbitrary<Fragment>,
  right: fc.Arbitrary<Fragment>,
): fc.Arbitrary<Fragment> =>
  fc.tuple(left, right).map(([one, two]): Fragment => [`${name}(`, ...one, ", ", ...two, ")"]);

const numeric: fc.Arbitrary<Fragment> = fc.oneof(number, path, call("if_not_exists", path, number));
const sum = fc
  .tuple(numeric, fc.constantFrom(" + ", " - ", "+", "-"), numeric)
  .map(([left, sign, right]): Fragment => [...left, sign, ...right]);
const listPart: fc.Arbitrary<Fragment> = fc.oneof(list, path, call("if_not_exists", path, list));
const append = call("list_append", listPart, listPart);

/** What SET assigns to this path. */
function assigned(place: Fragment): fc.Arbitrary<Fragment> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 8, arbitrary: valueFor(attributeOf(place)).map((value): Fragment => [{ value }]) },
    { weight: 2, arbitrary: literal },
    { weight: 2, arbitrary: path },
    { weight: 3, arbitrary: sum },
    { weight: 3, arbitrary: append },
    { weight: 2, arbitrary: call("if_not_exists", path, mostly(literal, sum, path)) },
  );
}

type Section = "SET" | "REMOVE" | "ADD" | "DELETE";

const ofSet = fc.oneof(textSet, numberSet, byteSet);
/** What ADD and DELETE mostly find in an attribute; a literal of another type is rejected with the item. */
const amounts: Readonly<Record<string, fc.Arbitrary<AttributeValue>>> = {
  a: numbers.map((N) => ({ N })),
  s: textSet,
  t: numberSet,
};

/** One action on a path, in its section. */
function actionOn(place: Fragment): fc.Arbitrary<readonly [Section, Fragment]> {
  const amount =
    amounts[attributeOf(place)] ??
    fc.oneof(
      ofSet,
      numbers.map((N) => ({ N })),
    );
  const taken = attributeOf(place) === "a" ? ofSet : (amounts[attributeOf(place)] ?? ofSet);
  const withValue = (section: Section, value: fc.Arbitrary<AttributeValue>) =>
    value.map((each) => [section, [...place, " ", { value: each }] as Fragment] as const);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant(["REMOVE", place] as const) },
    {
      weight: 12,
      arbitrary: assigned(place).map((value) => ["SET", [...place, " = ", ...value] as Fragment] as const),
    },
    { weight: 3, arbitrary: withValue("ADD", mostly(amount, anyValue())) },
    { weight: 2, arbitrary: withValue("DELETE", mostly(taken, anyValue())) },
  );
}

function expressionOf(actions: readonly (readonly [Section, Fragment])[]): Fragment {
  const sections = new Map<Section, Fragment[]>();
  for (const [section, action] of actions) sections.set(section, [...(sections.get(section) ?? []), action]);
  return [...sections].flatMap(
    ([section, parts], at): Fragment => [
      `${at === 0 ? "" : " "}${section} `,
      ...parts.flatMap((part, place) => (place === 0 ? part : [", ", ...part])),
    ],
  );
}

const keyPlaces = fc.constantFrom<Fragment[]>(
  [{ name: "pk", hidden: false }],
  [{ name: "g", hidden: false }],
  [{ name: "h", hidden: true }],
);
const indexPlaces = fc.constantFrom("g", "h", "l", "q");
const places: fc.Arbitrary<Fragment[]> = fc.oneof(
  { weight: 20, arbitrary: separatePaths(4) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(separatePaths(2), indexPlaces)
      .map(([paths, name]): Fragment[] => [...paths, [{ name, hidden: false }]]),
  },
  { weight: 1, arbitrary: fc.array(mostly(path, keyPlaces), { minLength: 1, maxLength: 3 }) },
);

const odd = fc.constantFrom<Fragment[]>(
  [""],
  ["SET"],
  ["SET a"],
  ["SET a = b, "],
  ["REMOVE a REMOVE b"],
  ["FOO a"],
  ["ADD a b"],
  ["SET a = foo(b)"],
  ["SET a = list_append(b)"],
  ["SET a = size(b)"],
  ["SET a = :missing"],
  ["SET a = (b + c)"],
  ["SET a = b + c + d"],
  ["SET a = if_not_exists(b + c, d)"],
  ["REMOVE a, a"],
  ["SET a.b = c REMOVE a"],
  ["SET e[0] = c REMOVE e.a"],
);

/** Update expressions, mostly valid. */
export const update: fc.Arbitrary<Fragment> = fc.oneof(
  { weight: 30, arbitrary: places.chain((chosen) => fc.tuple(...chosen.map(actionOn))).map(expressionOf) },
  { weight: 1, arbitrary: odd },
);

/** Projections, mostly valid. */
export const projection: fc.Arbitrary<Fragment> = mostly(
  separatePaths(3),
  fc.array(path, { minLength: 1, maxLength: 3 }),
).map((paths): Fragment => paths.flatMap((each, at) => (at === 0 ? each : [", ", ...each])));
