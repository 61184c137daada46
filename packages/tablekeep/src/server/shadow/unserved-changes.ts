import { batchWrite, queryItems } from "@tablekeep/client";
import { type Clock, type DynamoPort, type Item, isDynamoError, type Key } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import type { ItemChange } from "@tablekeep/shadow";

/** A table of shadows, and the broker that stores its sessions there. */
export interface SessionTable {
  readonly port: DynamoPort;
  readonly table: string;
  /** The name of the broker. */
  readonly broker: string;
  readonly clock: Clock;
}

/** A write that no server has announced. */
export interface UnservedChange {
  readonly items: readonly ItemChange[];
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
}

/** The default name of a folder's broker. */
export const folderBroker = "mqtt";

/** The maximum number of stored writes: more than a session queues. */
const maxChanges = 10_000;
/** No session lasts longer than a week. */
const keepMs = 7 * 24 * 3_600_000;
/** Digits of the sort key, so that changes are read in their order. */
const orderDigits = 16;
/** The number of changes that are announced before they are removed. */
const pageSize = 100;

/**
 * Stores the changes that a command makes to the shadows of a folder while no server is running, if the folder has sessions of MQTT clients: the next
 * server announces them to these.
 */
export class UnservedRecorder {
  readonly #target: SessionTable;
  readonly #stopWatching: () => void;
  #stored: Promise<void> = Promise.resolve();
  /** The order of the next change; undefined before the first. */
  #next: number | undefined;

  /** `onFailed` is called if a change could not be stored. */
  constructor(target: SessionTable, watch: Engine["watch"], onFailed: (error: unknown) => void) {
    this.#target = target;
    this.#stopWatching = watch(target.table, (items) => {
      const ofShadows = items.filter(({ before, after }) => isOfShadow(after ?? before));
      if (ofShadows.length === 0) return;
      this.#stored = this.#stored.then(() => this.#store(ofShadows)).catch(onFailed);
    });
  }

  /** Resolves once all changes are stored. Never rejects. */
  async close(): Promise<void> {
    this.#stopWatching();
    await this.#stored;
  }

  /** A change that does not fit in an item is stored without its previous state; one that still does not is left out. */
  async #store(items: readonly ItemChange[]): Promise<void> {
    this.#next ??= await nextOrder(this.#target);
    if (this.#next > maxChanges) return;
    const order = this.#next++;
    const withoutPrevious = items.map(({ before, after }) =>
      after ? { before: undefined, after } : { before, after },
    );
    if (!(await this.#put(order, items))) await this.#put(order, withoutPrevious);
  }

  async #put(order: number, items: readonly ItemChange[]): Promise<boolean> {
    const { port, table, clock } = this.#target;
    const now = clock.now();
    const Item: Item = {
      ...keyOf(this.#target, order),
      At: { N: String(now) },
      Changes: { L: items.map((item) => ({ M: attributesOf(item) })) },
      ExpiresAt: { N: String(Math.ceil((now + keepMs) / 1000)) },
    };
    try {
      await port.putItem({ TableName: table, Item });
      return true;
    } catch (error) {
      if (isDynamoError(error, "ValidationException")) return false;
      throw error;
    }
  }
}

/** Calls `announce` with every stored change, in order, and removes them once `settled` resolves. After a crash in between, some are announced again. */
export async function announceUnserved(
  target: SessionTable,
  announce: (change: UnservedChange) => Promise<void>,
  settled: () => Promise<void>,
): Promise<void> {
  const { port, table, clock } = target;
  let done: Key[] = [];
  const remove = async () => {
    if (done.length === 0) return;
    await settled();
    const deletes = done.map((key) => ({ table, delete: key }));
    done = [];
    await batchWrite(port, deletes, { clock });
  };
  for await (const { PK, SK, At, Changes } of itemsOf(target)) {
    const items = (Changes?.L ?? []).map(({ M }) => ({ before: M?.["Before"]?.M, after: M?.["After"]?.M }));
    await announce({ items, at: Number(At?.N) });
    done.push({ PK: PK ?? { S: "" }, SK: SK ?? { S: "" } });
    if (done.length >= pageSize) await remove();
  }
  await remove();
}

/** The order of the next change; beyond the maximum if no session would receive it. */
async function nextOrder(target: SessionTable): Promise<number> {
  const { port, table, broker } = target;
  const newest = async (partition: string) => {
    const { Items = [] } = await port.query({
      TableName: table,
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": { S: partition } },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    });
    return Items[0];
  };
  if ((await newest(`MQ#${broker}#sessions`)) === undefined) return Number.POSITIVE_INFINITY;
  return Number((await newest(partitionOf(target)))?.["SK"]?.S ?? 0) + 1;
}

function itemsOf(target: SessionTable): AsyncIterable<Item> {
  const { port, table, clock } = target;
  const input = {
    TableName: table,
    KeyConditionExpression: "PK = :partition",
    ExpressionAttributeValues: { ":partition": { S: partitionOf(target) } },
    ConsistentRead: true,
  };
  return queryItems(port, input, { clock });
}

function partitionOf({ broker }: SessionTable): string {
  return `MQ#${broker}#unserved`;
}

function keyOf(target: SessionTable, order: number): Key {
  return { PK: { S: partitionOf(target) }, SK: { S: String(order).padStart(orderDigits, "0") } };
}

function attributesOf({ before, after }: ItemChange): Item {
  return { ...(before && { Before: { M: before } }), ...(after && { After: { M: after } }) };
}

function isOfShadow(item: Item | undefined): boolean {
  return item?.["PK"]?.S?.startsWith("DS#") === true;
}
