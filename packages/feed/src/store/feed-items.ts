import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Key,
  type Random,
} from "@tablekeep/core";
import type { JournalChanges } from "@tablekeep/journal/changes";

/** Dependencies of reading and writing a feed's items. */
export interface StoreContext {
  readonly port: DynamoPort;
  readonly changes: JournalChanges;
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
}

/** Reads and writes single items of one feed, in the journal's table. */
export class FeedItems {
  readonly context: StoreContext;

  constructor(context: StoreContext) {
    this.context = context;
  }

  get table(): string {
    return this.context.changes.table;
  }

  call(options: CallOptions = {}): CallOptions {
    return { signal: options.signal, deadlineMs: options.deadlineMs ?? this.context.deadlineMs };
  }

  /** Returns the key of an item by the name of its part; the empty name is that of the record. */
  key(part: string, number = 0): Key {
    const { changes, name } = this.context;
    return changes.ownKey(part === "" ? name : `${name}-${part}`, number);
  }

  async get(key: Key, options?: CallOptions, consistent = true): Promise<Item | undefined> {
    const input = { TableName: this.table, Key: key, ConsistentRead: consistent };
    return (await this.context.port.getItem(input, this.call(options))).Item;
  }

  /** Puts an item if a condition holds. A lost response counts as a failed condition: the caller reads the item. */
  async putIf(
    item: Item,
    condition: string,
    values: Item | undefined,
    options?: CallOptions,
    names?: Record<string, string>,
  ): Promise<boolean> {
    const input = {
      TableName: this.table,
      Item: item,
      ConditionExpression: condition,
      ...(names !== undefined && { ExpressionAttributeNames: names }),
      ...(values !== undefined && { ExpressionAttributeValues: values }),
    };
    try {
      // Its own success makes its condition fail, so sending it twice does no harm.
      await this.context.port.putItem(input, { ...this.call(options), idempotent: true });
      return true;
    } catch (error) {
      if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
      throw error;
    }
  }
}
