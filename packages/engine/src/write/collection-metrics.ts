import type { ReturnItemCollectionMetrics } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import type { WireValue } from "../item/wire-value.ts";
import type { ItemWrite } from "./item-write.ts";

/**
 * What DynamoDB says of the size of an item collection, which only tables with a local index have. It gives an
 * estimate in whole gigabytes; a collection here stays below one.
 */
export function collectionMetrics(
  { table, key }: ItemWrite,
  asked: ReturnItemCollectionMetrics | undefined,
): Answer | undefined {
  if (asked !== "SIZE" || !table.indexes.some(({ kind }) => kind === "local")) return undefined;
  const { name } = table.hash[0];
  return {
    ItemCollectionKey: ItemAnswer.built({ [name]: key[name] as WireValue }),
    SizeEstimateRangeGB: [0, 1],
  };
}
