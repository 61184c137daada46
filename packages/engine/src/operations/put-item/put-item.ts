import type { PutItemInput } from "@tablekeep/core";
import { ItemAnswer } from "../../answer/item-answer.ts";
import { checkItemKeys } from "../../catalog/check-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { type ExpressionParameters, requestExpressions } from "../../expression/request-expressions.ts";
import { checkItem } from "../../item/check-item.ts";
import { asItIs, asValidationError } from "../../item/refuse.ts";
import { checkReturnsOld } from "../../write/check-returns-old.ts";
import { packNewItem } from "../../write/item-limit.ts";
import type { ItemWrite } from "../../write/item-write.ts";
import { writeOne } from "../../write/write-one.ts";
import type { Operation } from "../operation.ts";

export const putItem: Operation<"PutItem"> = (database, input) => {
  const write = putWrite(database, input, checkItemKeys, asValidationError);
  return writeOne(database, write, input, ({ before }) => ({
    Attributes: input.ReturnValues === "ALL_OLD" && before ? ItemAnswer.stored(before) : undefined,
  }));
};

/** What a put needs; PutItem has it, and so has a put in a transaction. */
export interface PutParameters extends ExpressionParameters {
  readonly TableName: string | undefined;
  readonly Item: unknown;
  readonly ReturnValues?: PutItemInput["ReturnValues"];
  readonly ReturnValuesOnConditionCheckFailure?: PutItemInput["ReturnValuesOnConditionCheckFailure"];
}

/** Understands a put. What is wrong in values and expressions is told even of a table that does not exist. */
export function putWrite(
  database: Database,
  parameters: PutParameters,
  checkKeys: typeof checkItemKeys = checkItemKeys,
  reported: typeof asItIs = asItIs,
): ItemWrite {
  const { checked, condition } = reported(() => {
    const item = checkItem(parameters.Item);
    checkReturnsOld(parameters.ReturnValues);
    return { checked: item, condition: requestExpressions(parameters, "write").condition };
  });
  const table: TableModel = database.catalog.get(parameters.TableName ?? "");
  checkKeys(table, checked.item);
  const stored = packNewItem(table, checked);
  return {
    table,
    key: checked.item,
    condition,
    returnOnFailure: parameters.ReturnValuesOnConditionCheckFailure,
    next: () => stored,
  };
}
