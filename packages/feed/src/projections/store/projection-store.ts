import { newWriteId, queryItems } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Key,
  type Random,
  type TransactWriteItem,
} from "@tablekeep/core";
import {
  decodeParked,
  decodeRegistry,
  decodeRunner,
  decodeSlice,
  decodeVersion,
  encodeRunner,
  encodeVersion,
  isBeingRemoved,
  type ParkedItem,
  type ProjectionRecord,
  type ProjectionVersion,
  parkedOf,
  partitionOf,
  projectionKey,
  type RunnerRecord,
  registryPartition,
  runnersPartition,
  type SlicePosition,
  slicePrefix,
  type VersionRecord,
  versionItem,
} from "./projection-items.ts";

/** Dependencies of the store of projections. */
export interface ProjectionStoreContext {
  readonly port: DynamoPort;
  readonly table: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
}

/** A conditional change to one item. */
export interface ItemUpdate {
  readonly key: Key;
  readonly update: string;
  readonly condition: string;
  readonly names?: Record<string, string>;
  readonly values?: Item;
}

/** The items of projections: versions, positions, parked events, runners. Changes to positions by a runner are in `../apply`. */
export class ProjectionStore {
  readonly context: ProjectionStoreContext;

  constructor(context: ProjectionStoreContext) {
    this.context = context;
  }

  call({ signal, deadlineMs = this.context.deadlineMs, maxAttempts }: CallOptions = {}): CallOptions {
    return { signal, deadlineMs, ...(maxAttempts !== undefined && { maxAttempts }) };
  }

  async get(key: Key, options?: CallOptions): Promise<Item | undefined> {
    const input = { TableName: this.context.table, Key: key, ConsistentRead: true };
    return (await this.context.port.getItem(input, this.call(options))).Item;
  }

  /** Returns the items of a partition whose sort keys begin with `prefix`, in order. */
  query(
    partition: string,
    prefix: string,
    options?: CallOptions,
    consistent = true,
  ): AsyncGenerator<Item, void, undefined> {
    const { port, table, clock, random } = this.context;
    const input = {
      TableName: table,
      ConsistentRead: consistent,
      KeyConditionExpression:
        prefix === ""
          ? "#projection = :partition"
          : "#projection = :partition AND begins_with(#item, :prefix)",
      ExpressionAttributeNames: {
        "#projection": "projection",
        ...(prefix !== "" && { "#item": "item" }),
      },
      ExpressionAttributeValues: {
        ":partition": { S: partition },
        ...(prefix !== "" && { ":prefix": { S: prefix } }),
      },
    };
    return queryItems(port, input, { ...this.call(options), clock, random });
  }

  /** Changes an item if a condition holds, and returns it; undefined if the condition does not hold. Throws if the outcome stays unknown. */
  async update(change: ItemUpdate, options?: CallOptions): Promise<Item | undefined> {
    const { key, update, condition, names, values } = change;
    const input = {
      TableName: this.context.table,
      Key: key,
      UpdateExpression: update,
      ConditionExpression: condition,
      ReturnValues: "ALL_NEW" as const,
      ...(names !== undefined && { ExpressionAttributeNames: names }),
      ...(values !== undefined && { ExpressionAttributeValues: values }),
    };
    try {
      // Not sent again after a lost response: the caller reads.
      const { Attributes } = await this.context.port.updateItem(input, {
        ...this.call(options),
        idempotent: false,
      });
      return Attributes;
    } catch (error) {
      if (isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
      throw error;
    }
  }

  /** Returns a conditional change as an action of a transaction. */
  action({ key, update, condition, names, values }: ItemUpdate): TransactWriteItem {
    return {
      Update: {
        TableName: this.context.table,
        Key: key,
        UpdateExpression: update,
        ConditionExpression: condition,
        ...(names !== undefined && { ExpressionAttributeNames: names }),
        ...(values !== undefined && { ExpressionAttributeValues: values }),
      },
    };
  }

  /** Writes a transaction. False if a condition does not hold, or another transaction was faster. Throws if the outcome stays unknown. */
  async transact(actions: readonly TransactWriteItem[], options?: CallOptions): Promise<boolean> {
    const input = { TransactItems: [...actions], ClientRequestToken: newWriteId() };
    try {
      await this.context.port.transactWriteItems(input, this.call(options));
      return true;
    } catch (error) {
      if (isDynamoError(error, "TransactionCanceledException")) return false;
      throw error;
    }
  }

  async #putIfAbsent(item: Item, options?: CallOptions): Promise<void> {
    const input = {
      TableName: this.context.table,
      Item: item,
      ConditionExpression: "attribute_not_exists(#item)",
      ExpressionAttributeNames: { "#item": "item" },
    };
    try {
      await this.context.port.putItem(input, { ...this.call(options), idempotent: true });
    } catch (error) {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    }
  }

  async delete(key: Key, options?: CallOptions): Promise<void> {
    const input = { TableName: this.context.table, Key: key };
    await this.context.port.deleteItem(input, { ...this.call(options), idempotent: true });
  }

  async projections(options?: CallOptions): Promise<ProjectionRecord[]> {
    const found: ProjectionRecord[] = [];
    for await (const item of this.query(registryPartition, "", options)) found.push(decodeRegistry(item));
    return found;
  }

  async projection(name: string, options?: CallOptions): Promise<ProjectionRecord | undefined> {
    const item = await this.get(projectionKey.registry(name), options);
    return item && decodeRegistry(item);
  }

  /** Returns the stored state of a version; `"removing"` if its removal has begun. */
  async version(
    version: ProjectionVersion,
    options?: CallOptions,
  ): Promise<VersionRecord | "removing" | undefined> {
    const item = await this.get(projectionKey.version(version), options);
    return item && (isBeingRemoved(item) ? "removing" : decodeVersion(item));
  }

  /**
   * Stores the missing items of a version that begins at the start of the feed. Its own item is written last: a version whose
   * item exists has everything else.
   */
  async createVersion(record: VersionRecord, options?: CallOptions): Promise<void> {
    const start = { offset: { N: "0" }, page: { N: "0" }, skip: { N: "0" }, epoch: { N: "0" } };
    for (let slice = 0; slice < record.slices; slice++)
      await this.#putIfAbsent({ ...projectionKey.slice(record, slice), ...start }, options);
    const { name, version } = record;
    const change = {
      TableName: this.context.table,
      Key: projectionKey.registry(name),
      UpdateExpression: "SET #current = if_not_exists(#current, :version) ADD #versions :versions",
      ExpressionAttributeNames: { "#current": "current", "#versions": "versions" },
      ExpressionAttributeValues: {
        ":version": { N: String(version) },
        ":versions": { NS: [String(version)] },
      },
    };
    await this.context.port.updateItem(change, { ...this.call(options), idempotent: true });
    await this.#putIfAbsent(encodeVersion(record), options);
  }

  /** Returns a version with its positions; undefined if it does not exist, or is being removed. */
  async positions(
    version: ProjectionVersion,
    options?: CallOptions,
    consistent = true,
  ): Promise<{ readonly record: VersionRecord; readonly slices: SlicePosition[] } | undefined> {
    const { port, table, clock, random } = this.context;
    const input = {
      TableName: table,
      ConsistentRead: consistent,
      KeyConditionExpression: "#projection = :partition AND #item BETWEEN :from AND :to",
      ExpressionAttributeNames: { "#projection": "projection", "#item": "item" },
      ExpressionAttributeValues: {
        ":partition": { S: partitionOf(version) },
        ":from": { S: versionItem },
        ":to": { S: `${slicePrefix}~` },
      },
    };
    let record: VersionRecord | undefined;
    const slices: SlicePosition[] = [];
    for await (const item of queryItems(port, input, { ...this.call(options), clock, random })) {
      if (item["item"]?.S === versionItem) record = isBeingRemoved(item) ? undefined : decodeVersion(item);
      else slices.push(decodeSlice(item));
    }
    return record && { record, slices };
  }

  async slice(
    version: ProjectionVersion,
    slice: number,
    options?: CallOptions,
  ): Promise<SlicePosition | undefined> {
    const item = await this.get(projectionKey.slice(version, slice), options);
    return item && decodeSlice(item);
  }

  /** Returns parked events, by slice and offset. */
  async *parked(
    version: ProjectionVersion,
    slice?: number,
    options?: CallOptions,
  ): AsyncGenerator<ParkedItem, void, undefined> {
    for await (const item of this.query(partitionOf(version), parkedOf(slice), options))
      yield decodeParked(item);
  }

  /** Returns the runners that count as alive. */
  async runners(options?: CallOptions): Promise<RunnerRecord[]> {
    return (await this.runnersByLife(Number.POSITIVE_INFINITY, options)).alive;
  }

  /** Returns the runners that count as alive, and the names of those that have not renewed for ten leases. */
  async runnersByLife(
    leaseMs: number,
    options?: CallOptions,
  ): Promise<{ readonly alive: RunnerRecord[]; readonly gone: string[] }> {
    const now = this.context.clock.now();
    const alive: RunnerRecord[] = [];
    const gone: string[] = [];
    for await (const item of this.query(runnersPartition, "", options)) {
      const runner = decodeRunner(item);
      if (runner.until > now) alive.push(runner);
      else if (runner.until + 10 * leaseMs < now) gone.push(runner.runner);
    }
    return { alive, gone };
  }

  /** Stores that a runner is alive. */
  async renewRunner(record: RunnerRecord, options?: CallOptions): Promise<void> {
    const input = { TableName: this.context.table, Item: encodeRunner(record) };
    await this.context.port.putItem(input, { ...this.call(options), idempotent: true });
  }
}
