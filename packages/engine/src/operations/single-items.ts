import { type ConsumedCapacity, readUnits } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkItemKeys, checkKeySchema } from "../catalog/check-keys.ts";
import { addUnits, Consumption } from "../catalog/consumption.ts";
import type { Operation } from "../database/database.ts";
import { requestExpressions } from "../expression/request-expressions.ts";
import { checkReadPaths } from "../read/check-read.ts";
import { itemAnswer, readItem } from "../read/read-item.ts";
import { checkItem } from "../values/check-item.ts";
import { inNewerWording, withValidationPrefix } from "../values/dynamo-errors.ts";
import { deleteWrite, putWrite } from "../write/item-write.ts";
import { returnedAttributes, updateWrite } from "../write/update-write.ts";
import { writeOne } from "../write/write-one.ts";

export const getItem: Operation<"GetItem"> = (database, input) => {
  const { item: key } = inNewerWording(() => checkItem(input.Key));
  const { projection } = requestExpressions(input, "read");
  const table = database.catalog.get(input.TableName ?? "");
  const mode = input.ConsistentRead ? "strong" : "eventual";
  checkKeySchema(table, key);
  checkReadPaths({ table }, { projection });
  const stored = readItem(database, table, key, mode);
  return {
    Item: stored && itemAnswer(stored, projection),
    ConsumedCapacity: consumed(),
  };

  function consumed(): ConsumedCapacity | undefined {
    const units = readUnits(stored?.size ?? 0, mode);
    if (input.ReturnConsumedCapacity === undefined) {
      addUnits(table, "read", units);
      return undefined;
    }
    const consumption = new Consumption(table, "read");
    consumption.addTable(units);
    return consumption.finish(input.ReturnConsumedCapacity);
  }
};

export const putItem: Operation<"PutItem"> = (database, input) => {
  const write = putWrite(database, input, checkItemKeys, withValidationPrefix);
  return writeOne(database, write, input, ({ before }) => ({
    Attributes: input.ReturnValues === "ALL_OLD" && before ? ItemAnswer.ofStored(before) : undefined,
  }));
};

export const updateItem: Operation<"UpdateItem"> = (database, input) => {
  const { write, update } = updateWrite(database, input);
  return writeOne(database, write, input, (written) => ({
    Attributes: returnedAttributes(input.ReturnValues, update, written),
  }));
};

export const deleteItem: Operation<"DeleteItem"> = (database, input) => {
  const write = deleteWrite(database, input, withValidationPrefix);
  return writeOne(database, write, input, ({ before }) => ({
    Attributes: input.ReturnValues === "ALL_OLD" && before ? ItemAnswer.ofStored(before) : undefined,
  }));
};
