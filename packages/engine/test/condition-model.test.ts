import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluate } from "../src/expression/evaluate.ts";
import { requestExpressions } from "../src/expression/request-expressions.ts";
import type { WireItem, WireValue } from "../src/values/wire-value.ts";
import { path, wireItem, wireValue } from "./models/arbitrary-value.ts";
import { naiveAt, Placeholders } from "./models/expressions.ts";

type PathParts = readonly (string | number)[];
type Side = { readonly path: PathParts } | { readonly size: PathParts } | { readonly value: WireValue };
type Tree =
  | { readonly op: "=" | "<>" | "<" | "<=" | ">" | ">="; readonly sides: readonly [Side, Side] }
  | { readonly op: "between"; readonly sides: readonly [Side, Side, Side] }
  | { readonly op: "in"; readonly sides: readonly [Side, ...Side[]] }
  | { readonly op: "begins_with" | "contains"; readonly path: PathParts; readonly value: WireValue }
  | { readonly op: "attribute_exists" | "attribute_not_exists"; readonly path: PathParts }
  | { readonly op: "attribute_type"; readonly path: PathParts; readonly type: string }
  | { readonly op: "AND" | "OR"; readonly parts: readonly [Tree, Tree] }
  | { readonly op: "NOT"; readonly part: Tree };

/** Values that are allowed on either side of an order: others are rejected before anything is evaluated. */
const ordered = wireValue.filter((value) => "S" in value || "N" in value || "B" in value);
const operandOf = (value: fc.Arbitrary<WireValue>): fc.Arbitrary<Side> =>
  fc.oneof(
    { weight: 3, arbitrary: path.map((each) => ({ path: each })) },
    path.map((each) => ({ size: each })),
    { weight: 3, arbitrary: value.map((each) => ({ value: each })) },
  );
const place: fc.Arbitrary<Side> = path.map((each) => ({ path: each }));
const types = ["S", "N", "B", "SS", "NS", "BS", "L", "M", "NULL", "BOOL"];

/** DynamoDB rejects comparing a path with itself. */
const areDistinct = ({ sides: [first, ...others] }: { sides: readonly Side[] }) =>
  others.every((other) => JSON.stringify(other) !== JSON.stringify(first));

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .record({ op: fc.constantFrom("=", "<>"), sides: fc.tuple(place, operandOf(wireValue)) })
      .filter(areDistinct),
    fc
      .record({ op: fc.constantFrom("<", "<=", ">", ">="), sides: fc.tuple(place, operandOf(ordered)) })
      .filter(areDistinct),
    fc.record({ op: fc.constant("between"), sides: fc.tuple(place, place, place) }).filter(areDistinct),
    fc
      .record({
        op: fc.constant("in"),
        sides: fc.tuple(place, operandOf(wireValue), operandOf(wireValue)) as fc.Arbitrary<[Side, ...Side[]]>,
      })
      .filter(areDistinct),
    fc.record({ op: fc.constant("begins_with"), path, value: ordered.filter((value) => !("N" in value)) }),
    fc.record({ op: fc.constant("contains"), path, value: wireValue }),
    fc.record({ op: fc.constantFrom("attribute_exists", "attribute_not_exists"), path }),
    fc.record({ op: fc.constant("attribute_type"), path, type: fc.constantFrom(...types) }),
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constantFrom("AND", "OR"), parts: fc.tuple(tie("tree"), tie("tree")) }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant("NOT"), part: tie("tree") }) },
  ) as fc.Arbitrary<Tree>,
}));

/** Prints with the fewest parentheses that the precedence NOT, AND, OR allows, to test the parser's precedence. */
function print(tree: Tree, holders: Placeholders): string {
  const side = (each: Side) => {
    if ("value" in each) return holders.value(each.value);
    return "path" in each ? holders.path(each.path) : `size(${holders.path(each.size)})`;
  };
  switch (tree.op) {
    case "AND":
      return tree.parts
        .map((part) => (part.op === "OR" ? `(${print(part, holders)})` : print(part, holders)))
        .join(" AND ");
    case "OR":
      return tree.parts.map((part) => print(part, holders)).join(" or ");
    case "NOT":
      return tree.part.op === "AND" || tree.part.op === "OR"
        ? `NOT (${print(tree.part, holders)})`
        : `not ${print(tree.part, holders)}`;
    case "between": {
      const [value, low, high] = tree.sides.map(side);
      return `${value} BETWEEN ${low} AND ${high}`;
    }
    case "in": {
      const [value, ...list] = tree.sides.map(side);
      return `${value} IN (${list.join(", ")})`;
    }
    case "begins_with":
    case "contains":
      return `${tree.op}(${holders.path(tree.path)}, ${holders.value(tree.value)})`;
    case "attribute_exists":
    case "attribute_not_exists":
      return `${tree.op} (${holders.path(tree.path)})`;
    case "attribute_type":
      return `attribute_type(${holders.path(tree.path)}, ${holders.value({ S: tree.type })})`;
    default: {
      const [left, right] = tree.sides.map(side);
      return `${left} ${tree.op} ${right}`;
    }
  }
}

const [tagAt, contentAt] = [0, 1] as const;
const entry = (value: WireValue): [string, unknown] => Object.entries(value)[0] as [string, unknown];

/** Formats a value so that only equal values have equal strings: sets and maps sorted. */
function canonical(value: WireValue): string {
  const [tag, content] = entry(value);
  if (tag.length === 2) return `${tag}${JSON.stringify([...(content as string[])].sort())}`;
  if (tag === "L") return `L[${(content as WireValue[]).map(canonical).join()}]`;
  if (tag !== "M") return `${tag}${JSON.stringify(content)}`;
  const members = Object.entries(content as WireItem).map(
    ([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`,
  );
  return `M{${members.sort().join()}}`;
}

/**
 * -1, 0, 1, or undefined if there is no order. The numbers of these tests are integers when multiplied by a thousand.
 */
function naiveOrder(left: WireValue, right: WireValue): number | undefined {
  const [tag, a] = entry(left);
  if (tag !== entry(right)[tagAt]) return undefined;
  const b = entry(right)[contentAt];
  const thousandfold = (text: string) => {
    const [whole = "", fraction = ""] = text.replace("-", "").split(".");
    const magnitude = BigInt(whole + fraction.padEnd(3, "0"));
    return text.startsWith("-") ? -magnitude : magnitude;
  };
  if (tag === "N") {
    const [one, two] = [thousandfold(a as string), thousandfold(b as string)];
    return one < two ? -1 : Number(one > two);
  }
  if (tag === "S") return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
  if (tag === "B")
    return Buffer.compare(Buffer.from(a as string, "base64"), Buffer.from(b as string, "base64"));
  return undefined;
}

function naiveSize(value: WireValue | undefined): WireValue | undefined {
  if (value === undefined) return undefined;
  const [tag, content] = entry(value);
  if (tag === "S") return { N: String((content as string).length) };
  if (tag === "B") return { N: String(Buffer.from(content as string, "base64").length) };
  if (tag === "M") return { N: String(Object.keys(content as object).length) };
  return Array.isArray(content) ? { N: String(content.length) } : undefined;
}

function naiveContains(value: WireValue, sought: WireValue): boolean {
  const [tag, content] = entry(value);
  const [soughtTag, soughtContent] = entry(sought);
  if (tag === "L") return (content as WireValue[]).some((each) => canonical(each) === canonical(sought));
  if (tag.length === 2 && tag.endsWith("S"))
    return tag[0] === soughtTag && (content as unknown[]).includes(soughtContent);
  if (tag !== soughtTag) return false;
  if (tag === "S") return (content as string).includes(soughtContent as string);
  if (tag === "B")
    return Buffer.from(content as string, "base64").includes(Buffer.from(soughtContent as string, "base64"));
  return false;
}

function naiveHolds(tree: Tree, item: WireItem): boolean {
  const operandValue = (side: Side) => {
    if ("value" in side) return side.value;
    return "path" in side ? naiveAt(item, side.path) : naiveSize(naiveAt(item, side.size));
  };
  const compare = (op: string, left: WireValue | undefined, right: WireValue | undefined): boolean => {
    if (left === undefined || right === undefined) return op === "<>";
    if (op === "=") return canonical(left) === canonical(right);
    if (op === "<>") return canonical(left) !== canonical(right);
    const order = naiveOrder(left, right);
    if (order === undefined) return false;
    return (
      (op.startsWith("<") && order < 0) ||
      (op.startsWith(">") && order > 0) ||
      (op.endsWith("=") && order === 0)
    );
  };
  switch (tree.op) {
    case "AND":
      return tree.parts.every((part) => naiveHolds(part, item));
    case "OR":
      return tree.parts.some((part) => naiveHolds(part, item));
    case "NOT":
      return !naiveHolds(tree.part, item);
    case "between": {
      const [value, low, high] = tree.sides.map(operandValue);
      return compare(">=", value, low) && compare("<=", value, high);
    }
    case "in": {
      const [value, ...list] = tree.sides.map(operandValue);
      return list.some((each) => compare("=", value, each));
    }
    case "begins_with": {
      const value = naiveAt(item, tree.path);
      if (value === undefined || entry(value)[tagAt] !== entry(tree.value)[tagAt]) return false;
      const encoding = "B" in tree.value ? "base64" : "utf8";
      const [text, prefix] = [value, tree.value].map((each) =>
        Buffer.from(entry(each)[contentAt] as string, encoding),
      );
      return text !== undefined && prefix !== undefined && text.subarray(0, prefix.length).equals(prefix);
    }
    case "contains": {
      const value = naiveAt(item, tree.path);
      return value !== undefined && naiveContains(value, tree.value);
    }
    case "attribute_exists":
      return naiveAt(item, tree.path) !== undefined;
    case "attribute_not_exists":
      return naiveAt(item, tree.path) === undefined;
    case "attribute_type": {
      const value = naiveAt(item, tree.path);
      return value !== undefined && entry(value)[tagAt] === tree.type;
    }
    default: {
      const [left, right] = tree.sides.map(operandValue);
      return compare(tree.op, left, right);
    }
  }
}

test("conditions are satisfied exactly where a naive model says so", () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(tree, fc.array(wireItem, { minLength: 1, maxLength: 4 }), (condition, items) => {
      const holders = new Placeholders();
      const ConditionExpression = print(condition, holders);
      const read = requestExpressions({ ConditionExpression, ...holders.parameters }, "write").condition;
      for (const item of items) {
        const expected = naiveHolds(condition, item);
        seen[`${expected}`]++;
        expect(read && evaluate(read, item)).toBe(expected);
      }
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(1000);
});
