import type { ExecuteStatementInput } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { ItemAnswer } from "../answer/item-answer.ts";
import type { Database } from "../database.ts";
import type { Update } from "../expression/syntax-tree.ts";
import { returned } from "../operations/update-item/update-item.ts";
import { type Written, writeOne } from "../write/write-one.ts";
import type { BoundStatement } from "./bound-statement.ts";
import type { Returning } from "./statement.ts";
import { statementWrite, type WriteStatement } from "./statement-write.ts";

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
    return { Items: item === undefined ? [] : [item] };
  });
}

const noUpdate: Update = { set: [], remove: [], add: [], delete: [] };

/** The item that RETURNING asks for. */
export function returnedItem(
  statement: WriteStatement,
  update: Update | undefined,
  written: Written,
): ItemAnswer | undefined {
  if (!("returning" in statement) || statement.returning === undefined) return undefined;
  return returned(returnValues[statement.returning], update ?? noUpdate, written);
}
