import { Consumption } from "../../capacity/consumption.ts";
import { readUnits } from "../../capacity/units.ts";
import { checkKey, checkKeysNotEmpty } from "../../catalog/check-keys.ts";
import { itemKey } from "../../catalog/storage-keys.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import { requestExpressions } from "../../expression/request-expressions.ts";
import { checkItem } from "../../item/check-item.ts";
import { invalid } from "../../item/refuse.ts";
import { Cancellation } from "../../transaction/cancellation.ts";
import { checkReadBytes } from "../../transaction/transaction-bytes.ts";
import { reports } from "../batch-write-item/batch-write-item.ts";
import { shown, storedItem } from "../get-item/get-item.ts";
import type { Operation } from "../operation.ts";

/** All items are read in one go, with no write in between. */
export const transactGetItems: Operation<"TransactGetItems"> = (database, input) => {
  const gets = (input.TransactItems ?? []).map(({ Get }) => {
    if (Get === undefined) throw invalid("TransactItems can only contain Get");
    return { Get, projection: requestExpressions(Get, "transactionRead").projection };
  });
  for (const { Get } of gets) {
    checkKeysNotEmpty(database.catalog.get(Get.TableName ?? ""), checkItem(Get.Key).item);
  }
  const cancellation = new Cancellation(gets.length);
  const reads = gets.map(({ Get, projection }, at) =>
    cancellation.attempt(at, () => {
      const table = database.catalog.get(Get.TableName ?? "");
      const key = checkKey(table, Get.Key);
      const at = itemKey(table, key);
      database.behaviour?.checkFree(at);
      return { table, projection, at, stored: storedItem(database, table, key) };
    }),
  );
  const known = reads.filter((read) => read !== undefined);
  if (new Set(known.map(({ at }) => at)).size < known.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
  cancellation.throwIfAny();
  checkReadBytes(known.reduce((sum, { stored }) => sum + (stored?.size ?? 0), 0));
  const used = new Map<TableModel, Consumption>();
  const responses = reads.flatMap((read) => {
    if (read === undefined) return [];
    const { table, projection, stored } = read;
    const consumption = used.get(table) ?? new Consumption(table);
    used.set(table, consumption);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
    return [{ Item: stored && shown(stored, projection) }];
  });
  return {
    Responses: responses,
    ConsumedCapacity: reports([...used.values()], input.ReturnConsumedCapacity, "read"),
  };
};
