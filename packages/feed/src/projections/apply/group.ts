import { maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import { type Item, itemSize, type Key, type TransactWriteItem } from "@tablekeep/core";
import type { ActionCondition } from "../projection.ts";
import { type ItemAction, itemAfter, itemName, mergeActions } from "./item-action.ts";
import { actionBytes, type PlacedAction, transactItem, unchangedSince } from "./transact-item.ts";

/** One action is needed for the position, and one for a parked event, which is removed in the transaction that applies it. */
export const maxActions: number = maxTransactActions - 2;
/** Leaves some bytes for what updates count beyond their values. */
const maxBytes = maxTransactBytes - 256 * 1024;

/** The effects of a handler for one event. */
export interface EventActions {
  readonly actions: readonly PlacedAction[];
  /** The items that it read from tables, as they were. */
  readonly reads: ReadonlyMap<string, { readonly key: Key; readonly item: Item | undefined }>;
  /** Whether it has read nothing, so its actions are the same in another group. */
  readonly isIndependent: boolean;
}

/** Why an event is not in a group: another action is on an item of this table, or there are too many actions or bytes. */
export type NotAdded =
  | { readonly reason: "overlap"; readonly table: string }
  | { readonly reason: "actions" | "bytes" };

/** The writes of several events that are applied with one position. */
export class Group {
  /** Number of events, the parked ones included. */
  events = 0;
  readonly #actions = new Map<string, PlacedAction>();
  readonly #reads = new Map<string, { readonly key: Key; readonly item: Item | undefined }>();
  /** Parked events: items of the table of projections. */
  readonly #rows: TransactWriteItem[] = [];
  #bytes = 0;

  /** Adds the effects of an event, or returns why that is not possible; then nothing has changed. */
  add({ actions, reads }: EventActions): NotAdded | undefined {
    const changed = new Map<string, PlacedAction>();
    for (const placed of actions) {
      const name = itemName(placed.table, placed.key);
      const before = changed.get(name) ?? this.#actions.get(name);
      const action =
        before === undefined ? placed.action : mergeActions(before.action, placed.action, placed.key);
      if (action === undefined) return { reason: "overlap", table: placed.table };
      changed.set(name, { ...placed, action });
    }
    const fresh = [...changed.keys()].filter((name) => !this.#actions.has(name)).length;
    if (this.#actions.size + fresh + this.#rows.length > maxActions) return { reason: "actions" };
    let bytes = this.#bytes;
    for (const [name, placed] of changed) {
      const before = this.#actions.get(name);
      bytes += actionBytes(placed) - (before === undefined ? 0 : actionBytes(before));
    }
    if (bytes > maxBytes) return { reason: "bytes" };
    this.#bytes = bytes;
    for (const [name, placed] of changed) this.#actions.set(name, placed);
    for (const [name, read] of reads) if (!this.#reads.has(name)) this.#reads.set(name, read);
    this.events++;
    return undefined;
  }

  /** Adds an item that says that an event is parked. False if there is no space for it. */
  park(item: Item, table: string): boolean {
    if (this.#actions.size + this.#rows.length >= maxActions) return false;
    this.#rows.push({ Put: { TableName: table, Item: item } });
    this.#bytes += itemSize(item);
    this.events++;
    return true;
  }

  /** An item after the group; `null` if that is unknown; `"unread"` if it was not read and depends on what is stored. */
  itemAfter(table: string, key: Key): Item | undefined | null | "unread" {
    const name = itemName(table, key);
    const placed = this.#actions.get(name);
    const read = this.#reads.get(name);
    if (placed === undefined) return read === undefined ? "unread" : read.item;
    if (read !== undefined) return itemAfter(read.item, key, placed.action);
    return placed.action.kind === "put" || placed.action.kind === "delete"
      ? itemAfter(undefined, key, placed.action)
      : "unread";
  }

  /** The group's action on an item that it has not read. */
  actionOn(table: string, key: Key): ItemAction | undefined {
    return this.#actions.get(itemName(table, key))?.action;
  }

  get isEmpty(): boolean {
    return this.events === 0;
  }

  /** Whether the position can be stored without a transaction. */
  get isBare(): boolean {
    return this.#actions.size + this.#rows.length === 0;
  }

  /** The actions in DynamoDB's form. Items that were read and are now written must be unchanged. */
  transactItems(): TransactWriteItem[] {
    const actions = [...this.#actions].map(([name, placed]) => {
      const read = this.#reads.get(name);
      const guard: ActionCondition | undefined = read && unchangedSince(read.item, read.key);
      return transactItem(placed, guard);
    });
    return [...actions, ...this.#rows];
  }

  /** Whether a condition may have failed because another process has changed an item since it was read. */
  get hasReads(): boolean {
    return this.#reads.size > 0;
  }
}
