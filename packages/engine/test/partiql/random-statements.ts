import fc, { type Arbitrary } from "fast-check";
import type { Condition, Path, Update } from "../../src/expression/syntax-tree.ts";
import type { WireItem, WireValue } from "../../src/values/wire-value.ts";
import { StatementPrinter } from "./print-statement.ts";
import { attributes, conditions, paths, updates } from "./random-trees.ts";

/** A statement to run on two databases, and what of its answer is comparable. */
export interface RandomStatement {
  readonly Statement: string;
  readonly Parameters?: readonly WireValue[];
  /** True if the statement determines the order of the items. */
  readonly ordered: boolean;
  readonly Limit?: number;
  /** The item that it reads or writes, if it is one. */
  readonly item?: string;
}

/** Placeholder for the name of the table. */
export const tablePlaceholder = "THINGS";

const partitions = fc.constantFrom("p", "q", "r");
const sorts = fc.constantFrom("a", "ab", "b", "c");

type Where = { readonly text: (printer: StatementPrinter) => string; readonly ordered: boolean };

const sortCondition: Arbitrary<string> = fc.oneof(
  sorts.map((sort) => `sk = '${sort}'`),
  fc.tuple(fc.constantFrom("<", "<=", ">", ">="), sorts).map(([sign, sort]) => `sk ${sign} '${sort}'`),
  fc.constantFrom("sk BETWEEN 'a' AND 'b'", "begins_with(sk, 'a')", "sk IN ['a', 'c']", "sk <> 'b'"),
);

const pinned: Arbitrary<Where> = fc
  .record({
    partition: partitions,
    sorts: fc.array(sortCondition, { maxLength: 2 }),
    rest: fc.option(conditions, { nil: undefined }),
  })
  .map(({ partition, sorts: onSort, rest }) => ({
    ordered: true,
    text: (printer) =>
      [`pk = '${partition}'`, ...onSort, ...(rest ? [printer.condition(rest)] : [])].join(" AND "),
  }));

const loose: Arbitrary<Where> = fc.oneof(
  conditions.map((condition): Where => ({ ordered: false, text: (printer) => printer.condition(condition) })),
  fc.tuple(fc.uniqueArray(partitions, { minLength: 1 }), conditions).map(
    ([values, condition]): Where => ({
      ordered: false,
      text: (printer) =>
        `pk IN (${values.map((value) => `'${value}'`).join(", ")}) AND ${printer.condition(condition)}`,
    }),
  ),
  fc.constant<Where>({ ordered: false, text: () => "pk = 'p' OR pk = 'q'" }),
  fc.constant<Where>({ ordered: false, text: () => "g = 'g' AND h > 1" }),
);

const selections: Arbitrary<readonly Path[] | undefined> = fc.option(
  fc.uniqueArray(paths, { minLength: 1, maxLength: 3, selector: ([name]) => name }),
  { nil: undefined },
);

const selects: Arbitrary<RandomStatement> = fc
  .record({
    selection: selections,
    where: fc.option(fc.oneof(pinned, loose), { nil: undefined }),
    index: fc.constantFrom(undefined, undefined, "by-l", "by-g"),
    order: fc.constantFrom("", "", " ORDER BY sk", " ORDER BY sk DESC"),
    limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  .map(({ selection, where, index, order, limit }) => {
    const printer = new StatementPrinter();
    const what = selection === undefined ? "*" : selection.map((path) => printer.path(path)).join(", ");
    const from = index === undefined ? `"${tablePlaceholder}"` : `"${tablePlaceholder}"."${index}"`;
    const condition = where === undefined ? "" : ` WHERE ${where.text(printer)}`;
    const ordered = index === undefined && where?.ordered === true;
    const Statement = `SELECT ${what} FROM ${from}${condition}${ordered ? order : ""}`;
    // DynamoDB Local sorts each page separately: pages of a descending SELECT ascend.
    const sorted = ordered && (limit === undefined || !order.endsWith("DESC"));
    return {
      Statement,
      ...parametersOf(printer),
      ordered: sorted,
      ...(limit !== undefined && { Limit: limit }),
    };
  });

const itemOf = (pk: string, sk: string, rest: WireItem): WireItem => ({
  pk: { S: pk },
  sk: { S: sk },
  ...rest,
});

const indexKeys: Arbitrary<WireItem> = fc.constantFrom<WireItem>(
  {},
  { g: { S: "g" } },
  { g: { S: "g" }, h: { N: "2" } },
  { lk: { S: "x" } },
  { lk: { S: "y" }, g: { S: "h" }, h: { N: "3" } },
  { g: { N: "1" } },
);

const inserts: Arbitrary<RandomStatement> = fc
  .record({ pk: partitions, sk: sorts, keys: indexKeys, rest: attributes })
  .map(({ pk, sk, keys, rest }) => {
    const printer = new StatementPrinter();
    const item = printer.struct(itemOf(pk, sk, { ...keys, ...rest }));
    return {
      Statement: `INSERT INTO "${tablePlaceholder}" VALUE ${item}`,
      ...parametersOf(printer),
      ordered: true,
      item: `${pk} ${sk}`,
    };
  });

interface Change {
  readonly pk: string;
  readonly sk: string;
  readonly rest: Condition | undefined;
}

const changed: Arbitrary<Change> = fc.record({
  pk: partitions,
  sk: sorts,
  rest: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: conditions }),
});

function whereOf({ pk, sk, rest }: Change, printer: StatementPrinter): string {
  return `WHERE pk = '${pk}' AND sk = '${sk}'${rest === undefined ? "" : ` AND ${printer.condition(rest)}`}`;
}

const updateStatements: Arbitrary<RandomStatement> = fc
  .record({
    change: changed,
    update: updates,
    returning: fc.constantFrom("", "ALL OLD", "ALL NEW", "MODIFIED NEW"),
  })
  .map(({ change, update, returning }) => {
    const printer = new StatementPrinter();
    const asked =
      returning === "" || (returning === "MODIFIED NEW" && !isFlat(update))
        ? ""
        : ` RETURNING ${returning} *`;
    const Statement = `UPDATE "${tablePlaceholder}" ${printer.update(update)} ${whereOf(change, printer)}${asked}`;
    return { Statement, ...parametersOf(printer), ordered: true, item: `${change.pk} ${change.sk}` };
  });

/** Returns whether an update names whole attributes only. */
function isFlat({ set, add, remove, delete: taken }: Update): boolean {
  return [...[...set, ...add, ...taken].map(({ path }) => path), ...remove].every(
    (path) => path.length === 1,
  );
}

const deletes: Arbitrary<RandomStatement> = fc
  .record({ change: changed, returning: fc.boolean() })
  .map(({ change, returning }) => {
    const printer = new StatementPrinter();
    const asked = returning ? " RETURNING ALL OLD *" : "";
    const Statement = `DELETE FROM "${tablePlaceholder}" ${whereOf(change, printer)}${asked}`;
    return { Statement, ...parametersOf(printer), ordered: true, item: `${change.pk} ${change.sk}` };
  });

function parametersOf({ parameters }: StatementPrinter): Pick<RandomStatement, "Parameters"> {
  return parameters.length === 0 ? {} : { Parameters: parameters };
}

/** INSERT, UPDATE and DELETE on a table with the keys pk and sk and the indexes by-l and by-g. */
export const writes: Arbitrary<RandomStatement> = fc.oneof(
  { weight: 4, arbitrary: inserts },
  { weight: 3, arbitrary: updateStatements },
  { weight: 1, arbitrary: deletes },
);

/** Statements of every kind on that table. */
export const statements: Arbitrary<RandomStatement> = fc.oneof(
  { weight: 2, arbitrary: writes },
  { weight: 1, arbitrary: selects },
);

/** Reads of single items, as in batches and transactions. */
export const itemReads: Arbitrary<RandomStatement> = fc
  .record({ pk: partitions, sk: sorts, selection: selections })
  .map(({ pk, sk, selection }) => {
    const what = selection?.map((path) => new StatementPrinter().path(path)).join(", ") ?? "*";
    const Statement = `SELECT ${what} FROM "${tablePlaceholder}" WHERE pk = '${pk}' AND sk = '${sk}'`;
    return { Statement, ordered: true, item: `${pk} ${sk}` };
  });
