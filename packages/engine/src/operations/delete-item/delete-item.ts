import type { DeleteItemInput } from "@tablekeep/core";
import { ItemAnswer } from "../../answer/item-answer.ts";
import { fittingKey } from "../../catalog/check-keys.ts";
import type { Database } from "../../database.ts";
import { type ExpressionParameters, requestExpressions } from "../../expression/request-expressions.ts";
import { checkItem } from "../../item/check-item.ts";
import { asItIs, asValidationError } from "../../item/refuse.ts";
import { checkReturnsOld } from "../../write/check-returns-old.ts";
import type { ItemWrite } from "../../write/item-write.ts";
import { writeOne } from "../../write/write-one.ts";
import type { Operation } from "../operation.ts";

export const deleteItem: Operation<"DeleteItem"> = (database, input) => {
  const write = deleteWrite(database, input, asValidationError);
  return writeOne(database, write, input, ({ before }) => ({
    Attributes: input.ReturnValues === "ALL_OLD" && before ? ItemAnswer.stored(before) : undefined,
  }));
};

/** What a delete needs; DeleteItem has it, and so has a delete in a transaction. */
export interface DeleteParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Key: unknown;
  readonly ReturnValues?: DeleteItemInput["ReturnValues"];
  readonly ReturnValuesOnConditionCheckFailure?: DeleteItemInput["ReturnValuesOnConditionCheckFailure"];
}

/** Understands a delete. */
export function deleteWrite(
  database: Database,
  parameters: DeleteParameters,
  reported: typeof asItIs = asItIs,
): ItemWrite {
  const { key, condition } = reported(() => {
    const { item } = checkItem(parameters.Key);
    checkReturnsOld(parameters.ReturnValues);
    return { key: item, condition: requestExpressions(parameters, "write").condition };
  });
  const table = database.catalog.get(parameters.TableName ?? "");
  return {
    table,
    key: fittingKey(table, key),
    condition,
    returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
    next: () => undefined,
  };
}
