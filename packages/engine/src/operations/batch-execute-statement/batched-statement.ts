import type { BatchStatementRequest } from "@tablekeep/core";
import type { ItemAnswer } from "../../answer/item-answer.ts";
import type { Consumption } from "../../capacity/consumption.ts";
import { readUnits } from "../../capacity/units.ts";
import { itemKey } from "../../catalog/storage-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { invalid } from "../../item/refuse.ts";
import type { BoundStatement } from "../../partiql/bound-statement.ts";
import { pinnedRead } from "../../partiql/pinned-read.ts";
import { returnedItem } from "../../partiql/run-write.ts";
import { statementWrite } from "../../partiql/statement-write.ts";
import type { StorageKey } from "../../storage/storage.ts";
import { applyChange, latestItem } from "../../write/apply-change.ts";
import { checkCondition } from "../../write/item-write.ts";
import { shown, storedItem } from "../get-item/get-item.ts";

/** A statement of a batch, understood but not yet carried out. */
export interface BatchedStatement {
  readonly table: TableModel;
  /** Where its item lies. */
  readonly at: StorageKey;
  /** Carries it out; gives the item that it answers with. */
  readonly run: (consumption: Consumption) => Promise<ItemAnswer | undefined>;
}

/** Understands a statement of a batch. */
export function batchedStatement(
  database: Database,
  { statement, parameters }: BoundStatement,
  request: BatchStatementRequest,
): BatchedStatement {
  if (statement.kind === "exists") {
    throw invalid("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  if (statement.kind === "select") return batchedRead(database, { statement, parameters }, request);
  const bound = { statement, parameters };
  const { write, update } = statementWrite(database, bound, request.ReturnValuesOnConditionCheckFailure);
  const { table, key } = write;
  return {
    table,
    at: itemKey(table, key),
    run: (consumption) =>
      database.writes.submit((transaction) => {
        const before = latestItem(transaction, table, key);
        checkCondition(write, before);
        const after = write.next(before);
        applyChange(database, transaction, table, { before, after }, consumption);
        return returnedItem(statement, update, { before, after });
      }),
  };
}

function batchedRead(
  database: Database,
  bound: Parameters<typeof pinnedRead>[1],
  { ConsistentRead }: BatchStatementRequest,
): BatchedStatement {
  const { table, key, at, projection } = pinnedRead(database, bound, "BatchExecuteStatement");
  return {
    table,
    at,
    async run(consumption) {
      const stored = storedItem(database, table, key);
      consumption.addTable(readUnits(stored?.size ?? 0, ConsistentRead ? "strong" : "eventual"));
      return stored && shown(stored, projection);
    },
  };
}
