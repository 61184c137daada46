import { DynamoError, type ReturnValuesOnConditionCheckFailure } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { holds } from "../expression/holds.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import type { StoredItem } from "../item/stored-item.ts";
import type { WireItem } from "../item/wire-value.ts";

/**
 * One write of one item, understood and checked but not yet done: what a single request, each action of a batch or a
 * transaction, and a PartiQL statement come down to.
 */
export interface ItemWrite {
  readonly table: TableModel;
  /** The key of the item; it may carry other attributes too. */
  readonly key: WireItem;
  readonly condition?: Condition | undefined;
  readonly returnOnFailure?: ReturnValuesOnConditionCheckFailure | undefined;
  /** What becomes of the item. Throws DynamoDB's refusal if that cannot be done to this item. */
  readonly next: (before: StoredItem | undefined) => StoredItem | undefined;
}

const nothing: WireItem = {};

/** Throws if the write's condition does not hold. */
export function checkCondition(write: ItemWrite, before: StoredItem | undefined): void {
  if (write.condition === undefined || holds(write.condition, before?.item ?? nothing)) return;
  const item = write.returnOnFailure === "ALL_OLD" && before ? ItemAnswer.stored(before).toItem() : undefined;
  throw new DynamoError({
    exception: "ConditionalCheckFailedException",
    serviceMessage: "The conditional request failed",
    ...(item && { item }),
  });
}
