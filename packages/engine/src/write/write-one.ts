import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../catalog/consumption.ts";
import type { Images } from "../change/change.ts";
import type { Database } from "../database/database.ts";
import type { WireValue } from "../values/wire-value.ts";
import { checkConditionPaths, type ItemWrite } from "./item-write.ts";
import { writeInPartition } from "./write-in-partition.ts";

interface ReportParameters {
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics;
}

/** Applies one write in its own transaction, and returns the answer. */
export function writeOne(
  database: Database,
  write: ItemWrite,
  report: ReportParameters,
  attributes: (written: Images) => Answer,
): Promise<Answer> {
  checkConditionPaths(write);
  return database.writes.submit((transaction) => {
    const consumption = new Consumption(write.table, "write");
    const written = writeInPartition(database, transaction, write, consumption);
    return {
      ...attributes(written),
      ConsumedCapacity: consumption.finish(report.ReturnConsumedCapacity),
      ItemCollectionMetrics: collectionMetrics(write, report.ReturnItemCollectionMetrics),
    };
  });
}

/**
 * Returns DynamoDB's estimate of the size of an item collection, which only tables with a local index have. It is in
 * whole gigabytes; a collection here stays below one.
 */
export function collectionMetrics(
  { table, key }: ItemWrite,
  requested: ReturnItemCollectionMetrics | undefined,
): Answer | undefined {
  if (requested !== "SIZE" || !table.indexes.some(({ kind }) => kind === "local")) return undefined;
  const { name } = table.hash[0];
  return {
    ItemCollectionKey: ItemAnswer.ofItem({ [name]: key[name] as WireValue }),
    SizeEstimateRangeGB: [0, 1],
  };
}
