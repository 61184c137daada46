import fc, { type Arbitrary } from "fast-check";
import type { Condition, Operand, Path, SetValue, Update } from "../../src/expression/syntax-tree.ts";
import { compareValues } from "../../src/values/compare-values.ts";
import type { WireItem, WireValue } from "../../src/values/wire-value.ts";

const texts = fc.constantFrom("", "a", "b", "ab", "it's", "ü", '"', "true", "?", "-- no");
const numbers = fc.constantFrom("0", "1", "2", "-1", "1.5", "100", "0.001", "12345678901234567890");
const bytes = fc.constantFrom("", "AA==", "AQI=", "/w==");

const scalar: Arbitrary<WireValue> = fc.oneof(
  texts.map((S) => ({ S })),
  numbers.map((N) => ({ N })),
  bytes.map((B) => ({ B })),
);
const setOf = (element: Arbitrary<string>) => fc.uniqueArray(element, { minLength: 1, maxLength: 3 });
const sets: Arbitrary<WireValue> = fc.oneof(
  setOf(texts).map((SS) => ({ SS })),
  setOf(numbers).map((NS) => ({ NS })),
  setOf(bytes).map((BS) => ({ BS })),
);

/** Values of every type, two levels deep. */
const values: Arbitrary<WireValue> = fc.letrec<{ value: WireValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant<WireValue>({ NULL: true }),
    sets,
    fc.array(tie("value"), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .dictionary(fc.constantFrom("x", "y", "b c"), tie("value"), { maxKeys: 2, noNullPrototype: true })
      .map((M) => ({ M })),
  ),
})).value;

/** Names of the attributes of random items; some must be quoted, some are misleading. */
const attributeNames = ["n", "t", "l", "m", "s", "user", "b c", "__proto__"] as const;

/** Items with some of those attributes. */
export const attributes: Arbitrary<WireItem> = fc
  .array(fc.tuple(fc.constantFrom(...attributeNames), values), { maxLength: 6 })
  .map((entries) => Object.fromEntries(entries));

/** Paths that often lead somewhere. */
export const paths: Arbitrary<Path> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string[]>(...attributeNames).map((name): Path => [name]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...attributeNames),
        fc.array(fc.constantFrom<string | number>("x", "b c", 0, 1), { minLength: 1, maxLength: 2 }),
      )
      .map(([name, parts]): Path => [name, ...parts]),
  },
);

const pathOperand = paths.map((path): Operand => ({ kind: "path", path }));
const valueOperand = (from: Arbitrary<WireValue>) => from.map((value): Operand => ({ kind: "value", value }));

const leaf: Arbitrary<Condition> = fc.oneof(
  fc
    .record({
      comparator: fc.constantFrom("=" as const, "<>" as const),
      left: pathOperand,
      right: valueOperand(values),
    })
    .map((parts): Condition => ({ kind: "compare", ...parts })),
  fc
    .record({
      comparator: fc.constantFrom("<" as const, "<=" as const, ">" as const, ">=" as const),
      left: fc.oneof(
        pathOperand,
        paths.map((path): Operand => ({ kind: "size", path })),
      ),
      right: valueOperand(scalar),
    })
    .map((parts): Condition => ({ kind: "compare", ...parts })),
  fc
    .record({ operand: pathOperand, bounds: fc.tuple(scalar, scalar) })
    .filter(({ bounds: [low, high] }) => (compareValues(low, high) ?? 1) <= 0)
    .map(
      ({ operand, bounds: [low, high] }): Condition => ({
        kind: "between",
        operand,
        low: { kind: "value", value: low },
        high: { kind: "value", value: high },
      }),
    ),
  fc
    .record({ operand: pathOperand, list: fc.array(valueOperand(values), { minLength: 1, maxLength: 3 }) })
    .map((parts): Condition => ({ kind: "in", ...parts })),
  paths.map((path): Condition => ({ kind: "attribute_exists", path })),
  paths.map((path): Condition => ({ kind: "attribute_not_exists", path })),
  fc
    .record({
      operand: pathOperand,
      type: fc.constantFrom("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"),
    })
    .map(
      ({ operand, type }): Condition => ({
        kind: "attribute_type",
        operand,
        type: { kind: "value", value: { S: type } },
      }),
    ),
  fc
    .record({ operand: pathOperand, prefix: valueOperand(texts.map((S) => ({ S }))) })
    .map((parts): Condition => ({ kind: "begins_with", ...parts })),
  fc
    .record({ operand: pathOperand, sought: valueOperand(scalar) })
    .map((parts): Condition => ({ kind: "contains", ...parts })),
);

/** Conditions of every kind. */
export const conditions: Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .record({
        kind: fc.constantFrom("and" as const, "or" as const),
        left: tie("condition"),
        right: tie("condition"),
      })
      .map((parts): Condition => ({ ...parts })),
    tie("condition").map((condition): Condition => ({ kind: "not", condition })),
  ),
})).condition;

const numeric: Arbitrary<SetValue> = fc.oneof(
  numbers.map((N): SetValue => ({ kind: "value", value: { N } })),
  paths.map((path): SetValue => ({ kind: "path", path })),
);
const listed: Arbitrary<SetValue> = fc.oneof(
  fc.array(scalar, { maxLength: 2 }).map((L): SetValue => ({ kind: "value", value: { L } })),
  paths.map((path): SetValue => ({ kind: "path", path })),
);

const setValues: Arbitrary<SetValue> = fc.oneof(
  values.map((value): SetValue => ({ kind: "value", value })),
  paths.map((path): SetValue => ({ kind: "path", path })),
  fc
    .record({ kind: fc.constantFrom("plus" as const, "minus" as const), left: numeric, right: numeric })
    .map((parts): SetValue => ({ ...parts })),
  fc.record({ left: listed, right: listed }).map((parts): SetValue => ({ kind: "list_append", ...parts })),
  fc.record({ path: paths, otherwise: values }).map(
    ({ path, otherwise }): SetValue => ({
      kind: "if_not_exists",
      path,
      otherwise: { kind: "value", value: otherwise },
    }),
  ),
);

type Step =
  | { readonly does: "set"; readonly path: Path; readonly value: SetValue }
  | { readonly does: "add" | "delete"; readonly path: Path; readonly value: WireValue }
  | { readonly does: "remove"; readonly path: Path };

const steps: Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("set" as const), path: paths, value: setValues }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom("add" as const, "delete" as const),
      path: paths,
      value: sets,
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("remove" as const), path: paths }) },
);

/** Updates that touch no attribute twice. */
export const updates: Arbitrary<Update> = fc
  .uniqueArray(steps, { minLength: 1, maxLength: 3, selector: ({ path }) => path[0] })
  .map((chosen) => ({
    set: chosen.flatMap((step) => (step.does === "set" ? [{ path: step.path, value: step.value }] : [])),
    add: chosen.flatMap((step) => (step.does === "add" ? [{ path: step.path, value: step.value }] : [])),
    delete: chosen.flatMap((step) =>
      step.does === "delete" ? [{ path: step.path, value: step.value }] : [],
    ),
    remove: chosen.flatMap((step) => (step.does === "remove" ? [step.path] : [])),
  }));
