import { writeUnits } from "@tablekeep/core";
import type { Consumption } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { Images } from "../change/change.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { applyChange, latestItemAt } from "./apply-change.ts";
import { checkCondition, type ItemWrite } from "./item-write.ts";

/** Applies one write if its partition has units left and its condition holds. Adds the units used. */
export function writeInPartition(
  database: Database,
  transaction: WriteTransaction,
  write: ItemWrite,
  consumption: Consumption,
): Images {
  const { table } = write;
  const { partitions } = database.service;
  const at = itemKey(table, write.key);
  partitions?.admit("write", { table, at });
  const before = latestItemAt(transaction, at);
  const used = consumption.partitionUnits;
  try {
    checkCondition(write, before);
    const after = write.next(before);
    applyChange(database, transaction, table, { before, after, at }, consumption);
    partitions?.spend("write", { table, at }, consumption.partitionUnits - used);
    return { before, after };
  } catch (error) {
    // AWS: condition expressions — a write whose condition fails costs what its item does.
    partitions?.spend("write", { table, at }, writeUnits(before?.size ?? 0));
    throw error;
  }
}
