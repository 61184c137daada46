import type { Item, TransactWriteItem } from "@tablekeep/core";
import type { RejectedItem } from "@tablekeep/journal";
import type { PendingAsk } from "./pending-ask.ts";

/** An item that is written in the transaction of a group. */
export interface GroupItem {
  readonly ask: PendingAsk;
  readonly action: TransactWriteItem;
  /** Its place in the decision's `alsoWrite`; undefined for the item of the ledger. */
  readonly index: number | undefined;
}

/** An item of a group whose condition failed. */
export interface RejectedGroupItem extends Pick<GroupItem, "ask" | "index"> {
  /** The stored item, if the action asked for it. */
  readonly item?: Item;
}

/** Whether a decision of the group has items. */
export function hasOwnItems({ alsoWrite }: { readonly alsoWrite: readonly GroupItem[] }): boolean {
  return alsoWrite.some(({ index }) => index !== undefined);
}

/** Returns which items of a group the journal reports as rejected. */
export function rejectedIn(
  items: readonly GroupItem[],
  rejected: readonly RejectedItem[],
): readonly RejectedGroupItem[] {
  return rejected.flatMap(({ index, item }) => {
    const found = items[index];
    return found === undefined ? [] : [{ ask: found.ask, index: found.index, ...(item && { item }) }];
  });
}

/**
 * Returns whether two commands certainly write the same item, which one transaction cannot do. If both put a whole item, only
 * the table shows its key: then DynamoDB rejects the group, and each command is written alone.
 */
export function shareKey(items: readonly GroupItem[], others: readonly GroupItem[]): boolean {
  return items.some((item) => others.some((other) => isSameItem(item.action, other.action)));
}

function isSameItem(first: TransactWriteItem, second: TransactWriteItem): boolean {
  const [one, two] = [targetOf(first), targetOf(second)];
  if (one.table !== two.table) return false;
  const key = one.key ?? two.key;
  if (key === undefined) return false;
  return Object.entries(key).every(
    ([name]) => JSON.stringify(one.item[name]) === JSON.stringify(two.item[name]),
  );
}

/** The table and the attributes that an action names; its key, unless it puts a whole item. */
function targetOf({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): {
  readonly table: string | undefined;
  readonly key: Item | undefined;
  readonly item: Item;
} {
  if (Put !== undefined) return { table: Put.TableName, key: undefined, item: Put.Item ?? {} };
  const action = Update ?? Delete ?? ConditionCheck;
  return { table: action?.TableName, key: action?.Key, item: action?.Key ?? {} };
}
