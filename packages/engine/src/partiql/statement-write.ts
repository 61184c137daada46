import type { ReturnValuesOnConditionCheckFailure } from "@tablekeep/core";
import { checkItemKeys } from "../catalog/check-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import type { Condition, Update } from "../expression/syntax-tree.ts";
import { checkItem } from "../item/check-item.ts";
import { invalid, refusal } from "../item/refuse.ts";
import { getOwn } from "../item/wire-value.ts";
import { writeOfUpdate } from "../operations/update-item/update-item.ts";
import { packNewItem } from "../write/item-limit.ts";
import type { ItemWrite } from "../write/item-write.ts";
import { bindCondition } from "./bind-condition.ts";
import { bindUpdate } from "./bind-update.ts";
import { bindItem, type Parameters } from "./bind-value.ts";
import type { BoundStatement } from "./bound-statement.ts";
import { checkKeyType } from "./check-key-value.ts";
import { type PinnedItem, pinnedItem } from "./pinned-item.ts";
import type {
  DeleteStatement,
  ExistsStatement,
  InsertStatement,
  Statement,
  UpdateStatement,
} from "./statement.ts";

/** The statements that write, and the one that only checks. */
export type WriteStatement = Exclude<Statement, { kind: "select" }>;

/** The write that a statement comes down to. */
export interface StatementWrite {
  readonly write: ItemWrite;
  /** What an UPDATE changes, for RETURNING. */
  readonly update?: Update | undefined;
}

/** Understands a statement that writes. */
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
      throw refusal("DuplicateItemException", "Duplicate primary key exists in table");
    },
  };
}

/** AWS: PartiQL UPDATE — it changes an item that is there, and creates none. */
function updateWrite(
  table: TableModel,
  { where }: UpdateStatement,
  update: Update,
  parameters: Parameters,
): ItemWrite {
  const { key, rest } = onlyItem(table, where && bindCondition(where, parameters));
  return { ...writeOfUpdate(table, key, update), condition: ifThere(table, rest) };
}

/** AWS: PartiQL DELETE — an item that is not there is no failure, whatever else the statement asks. */
function deleteWrite(table: TableModel, { where }: DeleteStatement, parameters: Parameters): ItemWrite {
  const { key, rest } = onlyItem(table, where && bindCondition(where, parameters));
  const condition: Condition | undefined = rest && {
    kind: "or",
    left: { kind: "attribute_not_exists", path: [table.hash[0].name] },
    right: rest,
  };
  return { table, key, condition, next: () => undefined };
}

function existsCheck(table: TableModel, { select }: ExistsStatement, parameters: Parameters): ItemWrite {
  const pinned = pinnedItem(table, select.where && bindCondition(select.where, parameters));
  if (pinned?.rest === undefined) {
    throw invalid("EXISTS() must contain a single item read with additional condition");
  }
  return { table, key: pinned.key, condition: ifThere(table, pinned.rest), next: (before) => before };
}

function onlyItem(table: TableModel, where: Condition | undefined): PinnedItem {
  const pinned = pinnedItem(table, where);
  if (pinned !== undefined) return pinned;
  throw invalid("Where clause does not contain a mandatory equality on all key attributes");
}

function ifThere(table: TableModel, condition: Condition | undefined): Condition {
  const there: Condition = { kind: "attribute_exists", path: [table.hash[0].name] };
  return condition === undefined ? there : { kind: "and", left: there, right: condition };
}
