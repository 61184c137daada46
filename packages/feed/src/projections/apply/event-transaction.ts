import type { CallOptions, DynamoPort, Item, Key, TransactWriteItem } from "@tablekeep/core";
import type {
  ActionCondition,
  ActionOptions,
  AttributeChanges,
  EventContext,
  ProjectionTransaction,
} from "../projection.ts";
import { ProjectionError } from "../projection-error.ts";
import {
  checkAction,
  checkActionOptions,
  checkChanges,
  checkCondition,
  checkPlace,
  checkWritable,
} from "./action-checks.ts";
import type { EventActions, Group } from "./group.ts";
import { changesOf, type ItemAction, itemAfter, itemName } from "./item-action.ts";
import type { ItemKeys } from "./item-keys.ts";
import type { PlacedAction } from "./transact-item.ts";

/** Thrown to a handler that reads an item whose state after the group is not known: the event begins a new group. */
export class NeedsNewGroup extends Error {}

/** Dependencies of an event's transaction. */
export interface TransactionContext {
  readonly port: DynamoPort;
  readonly itemKeys: ItemKeys;
  /** Tables that handlers must not write, with a description of each. */
  readonly reserved: ReadonlyMap<string, string>;
  readonly group: Group;
  readonly name: string;
  readonly version: number;
  readonly event: EventContext;
  readonly call: CallOptions;
}

type Waiting = { readonly table: string; readonly key?: Key; readonly action: ItemAction };

/** Whether an action writes nothing. */
function isCheck(action: ItemAction): boolean {
  return action.kind === "check" || (action.kind === "raw" && action.action.ConditionCheck !== undefined);
}

/** Collects the actions of one event. */
export class EventTransaction implements ProjectionTransaction {
  readonly #context: TransactionContext;
  readonly #actions: Waiting[] = [];
  readonly #reads = new Map<string, { readonly key: Key; readonly item: Item | undefined }>();
  #hasEnded = false;
  #hasRead = false;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  get version(): number {
    return this.#context.version;
  }

  get slice(): number {
    return this.#context.event.slice;
  }

  get offset(): number {
    return this.#context.event.offset;
  }

  get epoch(): number {
    return this.#context.event.epoch;
  }

  get idempotencyKey(): string {
    return this.#context.event.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.#context.event.signal;
  }

  put(table: string, item: Item, options: ActionOptions = {}): void {
    checkPlace(table, "item", item);
    checkActionOptions(options);
    const { condition } = options;
    this.#add({ table, action: { kind: "put", item, condition } });
  }

  update(table: string, key: Key, changes: AttributeChanges, options: ActionOptions = {}): void {
    checkPlace(table, "key", key);
    checkChanges(changes);
    checkActionOptions(options);
    const { condition } = options;
    const each = changesOf(changes);
    if (each.size > 0) this.#add({ table, key, action: { kind: "update", changes: each, condition } });
    else if (condition !== undefined) this.check(table, key, condition);
  }

  delete(table: string, key: Key, options: ActionOptions = {}): void {
    checkPlace(table, "key", key);
    checkActionOptions(options);
    const { condition } = options;
    this.#add({ table, key, action: { kind: "delete", condition } });
  }

  check(table: string, key: Key, condition: ActionCondition): void {
    checkPlace(table, "key", key);
    checkCondition(condition);
    this.#add({ table, key, action: { kind: "check", condition } });
  }

  action(action: TransactWriteItem): void {
    checkAction(action);
    const { Put, Update, Delete, ConditionCheck } = action;
    const table = (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? "";
    const key = (Update ?? Delete ?? ConditionCheck)?.Key;
    this.#add({ table, ...(key && { key }), action: { kind: "raw", action } });
  }

  #add(action: Waiting): void {
    this.#checkOpen();
    if (!isCheck(action.action)) checkWritable(action.table, this.#context.reserved);
    this.#actions.push(action);
  }

  #checkOpen(): void {
    if (!this.#hasEnded) return;
    const { name } = this.#context;
    const message = `the handler of projection ${name} used its transaction after it had returned (await what it starts)`;
    throw new ProjectionError("PROJECTION_TRANSACTION_ENDED", message, { name });
  }

  async get(table: string, key: Key): Promise<Item | undefined> {
    this.#checkOpen();
    checkPlace(table, "key", key);
    this.#hasRead = true;
    const { group } = this.#context;
    let item = group.itemAfter(table, key);
    if (item === "unread") item = await this.#read(table, key);
    const wanted = itemName(table, key);
    for (const { action, ...placed } of this.#actions) {
      const own = placed.key ?? (await this.#keyOf(placed.table, action));
      if (itemName(placed.table, own) !== wanted) continue;
      item = item === null ? null : itemAfter(item, own, action);
    }
    this.#checkOpen();
    if (item === null) throw new NeedsNewGroup("an earlier action on the item is in DynamoDB's own form");
    return item;
  }

  /** Reads an item, and what the group does to it. */
  async #read(table: string, key: Key): Promise<Item | undefined | null> {
    const { port, group, call } = this.#context;
    const name = itemName(table, key);
    let read = this.#reads.get(name);
    if (read === undefined) {
      const { Item: item } = await port.getItem({ TableName: table, Key: key, ConsistentRead: true }, call);
      read = { key, item };
      this.#reads.set(name, read);
    }
    const action = group.actionOn(table, key);
    return action === undefined ? read.item : itemAfter(read.item, key, action);
  }

  #keyOf(table: string, action: ItemAction): Promise<Key> {
    const item =
      action.kind === "put" ? action.item : action.kind === "raw" ? (action.action.Put?.Item ?? {}) : {};
    return this.#context.itemKeys.keyOf(table, item, this.#context.call);
  }

  /** Rejects calls after the handler has returned. */
  close(): void {
    this.#hasEnded = true;
  }

  /** Returns what the handler wants to write. */
  async collected(): Promise<EventActions> {
    const actions: PlacedAction[] = [];
    for (const { table, key, action } of this.#actions)
      actions.push({ table, key: key ?? (await this.#keyOf(table, action)), action });
    return { actions, reads: this.#reads, isIndependent: !this.#hasRead };
  }
}
