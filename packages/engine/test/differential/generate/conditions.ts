import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import type { Fragment } from "./expression.ts";
import { attributeOf, path } from "./paths.ts";
import { mostly } from "./sometimes.ts";
import { anyValue, rejectedValue, valueFor } from "./values.ts";

const literal = (value: AttributeValue): Fragment => [{ value }];
const anyLiteral = mostly(mostly(anyValue(), anyValue(0)), rejectedValue).map(literal);
const size = path.map((operand): Fragment => ["size(", ...operand, ")"]);
const number = fc.constantFrom("0", "1", "2", "3").map((N) => literal({ N }));

/** Values that have an order, each group in its order. */
const ordered: readonly (readonly AttributeValue[])[] = [
  ["", "a", "ab", "b", "\u00e9", "\uffee", "\u{1f600}"].map((S) => ({ S })),
  ["-2.5", "-1", "0", "0.1", "1", "2", "10", "9.9e125"].map((N) => ({ N })),
  [[], [0], [1], [1, 2], [128], [255]].map((each) => ({ B: Uint8Array.from(each) })),
];
const scalar = fc.constantFrom(...ordered.flat()).map(literal);
const bounds: fc.Arbitrary<readonly [Fragment, Fragment]> = fc.constantFrom(...ordered).chain((group) =>
  fc
    .tuple(fc.nat(group.length - 1), fc.nat(group.length - 1))
    .map(([one, two]) => [Math.min(one, two), Math.max(one, two)] as const)
    .map(
      ([low, high]) =>
        [literal(group[low] as AttributeValue), literal(group[high] as AttributeValue)] as const,
    ),
);

/** Anything that is allowed beside a comparator. */
const operand: fc.Arbitrary<Fragment> = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: path },
  { weight: 2, arbitrary: scalar },
  { weight: 1, arbitrary: anyLiteral },
  { weight: 1, arbitrary: size },
);

/** A path and a literal that its attribute could have. */
const pathAndValue: fc.Arbitrary<readonly [Fragment, Fragment]> = path.chain((place) =>
  fc.tuple(fc.constant(place), mostly(valueFor(attributeOf(place)), anyValue()).map(literal)),
);

const equality = fc.constantFrom("=", "<>");
const comparator = fc.constantFrom("=", "<>", "<", "<=", ">", ">=");
const comparison = fc.oneof(
  fc.tuple(pathAndValue, equality).map(([[left, right], sign]): Fragment => [...left, ` ${sign} `, ...right]),
  fc.tuple(path, comparator, scalar).map(([left, sign, right]): Fragment => [...left, ` ${sign} `, ...right]),
  fc
    .tuple(operand, comparator, path)
    .map(([left, sign, right]): Fragment => [...left, ` ${sign} `, ...right]),
  fc
    .tuple(operand, comparator, operand)
    .map(([left, sign, right]): Fragment => [...left, ` ${sign} `, ...right]),
  fc.tuple(size, comparator, number).map(([left, sign, right]): Fragment => [...left, sign, ...right]),
);
const between = fc.oneof(
  fc
    .tuple(mostly(path, operand), bounds)
    .map(([left, [low, high]]): Fragment => [...left, " BETWEEN ", ...low, " AND ", ...high]),
  fc
    .tuple(path, bounds)
    .map(([left, [low, high]]): Fragment => [...left, " BETWEEN ", ...low, " AND ", ...high]),
  fc
    .tuple(path, operand, operand)
    .map(([left, low, high]): Fragment => [...left, " between ", ...low, " and ", ...high]),
);
const membership = fc
  .tuple(pathAndValue, fc.array(operand, { maxLength: 3 }))
  .map(
    ([[left, first], rest]): Fragment => [
      ...left,
      " IN (",
      ...first,
      ...rest.flatMap((each) => [", ", ...each]),
      ")",
    ],
  );
const existence = fc
  .tuple(fc.constantFrom("attribute_exists", "attribute_not_exists"), mostly(path, operand))
  .map(([name, place]): Fragment => [name, "(", ...place, ")"]);
const typeName = mostly(
  fc
    .constantFrom("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")
    .map((S): AttributeValue => ({ S })),
  fc.constantFrom<AttributeValue[]>({ S: "X" }, { N: "1" }),
).map(literal);
const typeTest = fc
  .tuple(path, typeName)
  .map(([place, type]): Fragment => ["attribute_type(", ...place, ", ", ...type, ")"]);
const text = fc
  .constantFrom<AttributeValue[]>(
    { S: "a" },
    { S: "" },
    { S: "ab" },
    { B: Uint8Array.of(1) },
    { B: new Uint8Array() },
  )
  .map(literal);
const search = fc
  .oneof(
    fc.tuple(
      fc.constantFrom("begins_with", "contains"),
      fc.oneof(fc.tuple(path, text), fc.tuple(path, path)),
    ),
    fc.tuple(fc.constant("contains"), fc.tuple(path, scalar)),
    fc.tuple(fc.constantFrom("begins_with", "contains"), fc.tuple(operand, operand)),
  )
  .map(([name, [left, right]]): Fragment => [name, "(", ...left, ", ", ...right, ")"]);
const odd = fc.constantFrom<Fragment[]>(
  ["size(", { name: "a", hidden: false }, ")"],
  ["foo(a)"],
  ["a = b ="],
  ["attribute_exists(a, b)"],
  ["attribute_type(a)"],
  ["((a = b))"],
  ["NOT"],
  [""],
  ["a ="],
  ["a = :missing"],
  ["#missing = b"],
  ["size(b) = size(b)"],
  ["status = b"],
  ["contains(a)"],
  ["if_not_exists(a, b) = c"],
  ["a[1 = b"],
  ["a ! b"],
);

const leaf: fc.Arbitrary<Fragment> = fc.oneof(
  { weight: 10, arbitrary: comparison },
  { weight: 6, arbitrary: existence },
  { weight: 3, arbitrary: between },
  { weight: 3, arbitrary: membership },
  { weight: 3, arbitrary: typeTest },
  { weight: 5, arbitrary: search },
  { weight: 1, arbitrary: odd },
);

/** Conditions and filters, mostly valid. */
export const condition: fc.Arbitrary<Fragment> = tree(2);

function tree(depth: number): fc.Arbitrary<Fragment> {
  if (depth === 0) return leaf;
  const inner = tree(depth - 1);
  const chain = fc
    .tuple(inner, fc.constantFrom(" AND ", " OR ", " and "), inner)
    .map(([left, word, right]): Fragment => [...left, word, ...right]);
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 5, arbitrary: leaf },
    { weight: 2, arbitrary: chain },
    { weight: 1, arbitrary: chain.map((each): Fragment => ["(", ...each, ")"]) },
    { weight: 1, arbitrary: inner.map((each): Fragment => ["NOT ", ...each]) },
    { weight: 1, arbitrary: chain.map((each): Fragment => ["NOT (", ...each, ")"]) },
  );
}
