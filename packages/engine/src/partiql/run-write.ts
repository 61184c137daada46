import type { ExecuteStatementInput, ReturnValuesOnConditionCheckFailure } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { ItemAnswer } from "../answer/item-answer.ts";
import { checkItemKeys } from "../catalog/check-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Images } from "../change/change.ts";
import { withChange } from "../change/statement-change.ts";
import type { Database } from "../database/database.ts";
import type { Condition, Update } from "../expression/syntax-tree.ts";
import { checkItem } from "../values/check-item.ts";
import { dynamoError, invalid } from "../values/dynamo-errors.ts";
import { getOwn } from "../values/wire-value.ts";
import { type ItemWrite, packNewItem } from "../write/item-write.ts";
import { returnedAttributes, unconditionalUpdate } from "../write/update-write.ts";
import { writeOne } from "../write/write-one.ts";
import { bindCondition } from "./bind-condition.ts";
import type { BoundStatement } from "./bind-statement.ts";
import { bindUpdate } from "./bind-update.ts";
import { bindItem, type Parameters } from "./bind-value.ts";
import { checkKeyType, findSingleItem, type SingleItem } from "./key-conditions.ts";
import type {
  DeleteStatement,
  ExistsStatement,
  InsertStatement,
  Returning,
  Statement,
  UpdateStatement,
} from "./statement.ts";

const returnValues = {
  "ALL OLD": "ALL_OLD",
  "ALL NEW": "ALL_NEW",
  "MODIFIED OLD": "UPDATED_OLD",
  "MODIFIED NEW": "UPDATED_NEW",
} as const satisfies Record<Returning, string>;

/** Carries out an INSERT, UPDATE or DELETE. */
export function runWrite(
  database: Database,
  bound: BoundStatement<WriteStatement>,
  input: Pick<ExecuteStatementInput, "ReturnConsumedCapacity" | "ReturnValuesOnConditionCheckFailure">,
): Promise<Answer> {
  const { write, update } = statementWrite(database, bound, input.ReturnValuesOnConditionCheckFailure);
  const report = { ReturnConsumedCapacity: input.ReturnConsumedCapacity };
  return writeOne(database, write, report, (written) => {
    const item = returnedItem(bound.statement, update, written);
    return withChange({ Items: item === undefined ? [] : [item] }, written);
  });
}

const noUpdate: Update = { set: [], remove: [], add: [], delete: [] };

/** Returns the item that RETURNING requests. */
export function returnedItem(
  statement: WriteStatement,
  update: Update | undefined,
  written: Images,
): ItemAnswer | undefined {
  if (!("returning" in statement) || statement.returning === undefined) return undefined;
  return returnedAttributes(returnValues[statement.returning], update ?? noUpdate, written);
}

/** The statements that write, and the one that only checks. */
export type WriteStatement = Exclude<Statement, { kind: "select" }>;

/** The write of a statement. */
interface StatementWrite {
  readonly write: ItemWrite;
  /** What an UPDATE changes, for RETURNING. */
  readonly update?: Update;
}

/** Prepares the write of a statement. */
export function statementWrite(
  database: Database,
  { statement, parameters }: BoundStatement<WriteStatement>,
  returnOnFailure: ReturnValuesOnConditionCheckFailure | undefined,
): StatementWrite {
  const table = database.catalog.get(statement.table);
  switch (statement.kind) {
    case "insert":
      return { write: { ...insertWrite(table, statement, parameters), returnOnFailure } };
    case "update": {
      const update = bindUpdate(statement, parameters);
      return { write: { ...updateWrite(table, statement, update, parameters), returnOnFailure }, update };
    }
    case "delete":
      return { write: { ...deleteWrite(table, statement, parameters), returnOnFailure } };
    case "exists":
      return { write: { ...existsCheck(table, statement, parameters), returnOnFailure } };
  }
}

function insertWrite(table: TableModel, { item }: InsertStatement, parameters: Parameters): ItemWrite {
  const checked = checkItem(bindItem(item, parameters));
  for (const attribute of [...table.hash, ...table.range]) {
    const value = getOwn(checked.item, attribute.name);
    if (value === undefined) {
      throw invalid(`Key attribute should be present in the item: Key ${attribute.name}`);
    }
    checkKeyType(attribute, value);
  }
  checkItemKeys(table, checked.item);
  const stored = packNewItem(table, checked);
  return {
    table,
    key: checked.item,
    next(before) {
      if (before === undefined) return stored;
      throw dynamoError("DuplicateItemException", "Duplicate primary key exists in table");
    },
  };
}

/** AWS: PartiQL UPDATE — it changes an existing item, and never creates one. */
function updateWrite(
  table: TableModel,
  { where }: UpdateStatement,
  update: Update,
  parameters: Parameters,
): ItemWrite {
  const { key, rest } = requireSingleItem(table, where && bindCondition(where, parameters));
  return { ...unconditionalUpdate(table, key, update), condition: ifExists(table, rest) };
}

/** AWS: PartiQL DELETE — a missing item is not a failure, whatever else the statement requires. */
function deleteWrite(table: TableModel, { where }: DeleteStatement, parameters: Parameters): ItemWrite {
  const { key, rest } = requireSingleItem(table, where && bindCondition(where, parameters));
  const condition: Condition | undefined = rest && {
    kind: "or",
    left: { kind: "attribute_not_exists", path: [table.hash[0].name] },
    right: rest,
  };
  return { table, key, condition, next: () => undefined };
}

function existsCheck(table: TableModel, { select }: ExistsStatement, parameters: Parameters): ItemWrite {
  const pinned = findSingleItem(table, select.where && bindCondition(select.where, parameters));
  if (pinned?.rest === undefined) {
    throw invalid("EXISTS() must contain a single item read with additional condition");
  }
  return { table, key: pinned.key, condition: ifExists(table, pinned.rest), next: (before) => before };
}

function requireSingleItem(table: TableModel, where: Condition | undefined): SingleItem {
  const pinned = findSingleItem(table, where);
  if (pinned !== undefined) return pinned;
  throw invalid("Where clause does not contain a mandatory equality on all key attributes");
}

function ifExists(table: TableModel, condition: Condition | undefined): Condition {
  const there: Condition = { kind: "attribute_exists", path: [table.hash[0].name] };
  return condition === undefined ? there : { kind: "and", left: there, right: condition };
}
