import { queryItems, scanPages } from "@tablekeep/client";
import {
  type DynamoPort,
  type Item,
  itemSize,
  maxItemBytes,
  sleep,
  systemClock,
  type TableDescription,
} from "@tablekeep/core";
import {
  entryOf,
  fingerprint,
  indexesOf,
  type KeyPart,
  keyOf,
  keyParts,
  keyProblem,
  type VerifiedIndex,
} from "./expected-entries.ts";

/** One problem of a table. */
export interface TableFinding {
  /**
   * `key`: values of the key are not valid. `size`: the item is too large. `index-missing`, `index-stale`, `index-orphan`: an index lacks an item,
   * holds other values of it, or holds an item that the table does not have there. `count`: the recorded counts are wrong. `index-key`: an item is not in an
   * index because its values are not valid there. `index-inactive`: an index is being created or deleted, and was not read.
   */
  readonly kind:
    | "key"
    | "size"
    | "index-missing"
    | "index-stale"
    | "index-orphan"
    | "count"
    | "index-key"
    | "index-inactive";
  readonly severity: "error" | "info";
  readonly index?: string;
  readonly key?: Item;
  readonly message: string;
}

/** The numbers of items and entries read, and of findings by severity. */
export interface TableVerification {
  readonly items: number;
  readonly bytes: number;
  /** Entries of all indexes. */
  readonly entries: number;
  readonly error: number;
  readonly info: number;
}

/** How to verify a table. */
export interface VerifyTableOptions {
  /** Whether nothing else can change the table meanwhile: then recorded counts are exact, and differences are not due to timing. */
  readonly isExclusive: boolean;
  readonly signal: AbortSignal;
  readonly onFinding: (finding: TableFinding) => Promise<void>;
  /** Called with the number of items and entries read, including those that are read twice. */
  readonly onProgress: (read: number) => void;
  /** Items whose fingerprints are in memory at once. @default 1,000,000 */
  readonly itemsAtOnce?: number;
}

/** Compares the items of a table with its keys, limits and indexes. Changes nothing. */
export function verifyTable(
  port: DynamoPort,
  table: TableDescription,
  options: VerifyTableOptions,
): Promise<TableVerification> {
  return new TableCheck(port, table, options).run();
}

/** Global indexes follow the table, usually within a second. */
const attempts = 5;
const pauseMs = 1000;

const advice = "export the table, and import the export into a new one";

class TableCheck {
  readonly #port: DynamoPort;
  readonly #table: TableDescription;
  readonly #options: VerifyTableOptions;
  readonly #keys: readonly KeyPart[];
  readonly #indexes: readonly VerifiedIndex[];
  readonly #count = { items: 0, bytes: 0, entries: 0, error: 0, info: 0 };
  readonly #entriesOf = new Map<string, { items: number; bytes: number }>();
  #read = 0;

  constructor(port: DynamoPort, table: TableDescription, options: VerifyTableOptions) {
    this.#port = port;
    this.#table = table;
    this.#options = options;
    this.#keys = keyParts(table.KeySchema, table.AttributeDefinitions);
    this.#indexes = indexesOf(table);
  }

  async run(): Promise<TableVerification> {
    for (const { name } of this.#indexes.filter(({ isActive }) => !isActive))
      await this.#report("index-inactive", "info", "is being created or deleted, and was not read", {
        index: name,
      });
    const { itemsAtOnce = 1_000_000 } = this.#options;
    const rounds = Math.ceil(Math.max(1, this.#table.ItemCount ?? 0) / itemsAtOnce);
    for (let round = 0; round < rounds; round++) await this.#compare(round, rounds);
    if (this.#options.isExclusive) await this.#checkCounts();
    return this.#count;
  }

  /** Compares those items with the indexes whose keys belong to a round. */
  async #compare(round: number, rounds: number): Promise<void> {
    const expected = new Map(
      this.#indexes.filter(({ isActive }) => isActive).map((index) => [index, new Map<number, number>()]),
    );
    const isNow = (place: number) => place % rounds === round;
    for await (const item of this.#scan()) {
      if (round === 0) await this.#checkItem(item);
      if (expected.size === 0) continue;
      const place = fingerprint(keyOf(this.#keys, item));
      if (!isNow(place)) continue;
      for (const [index, entries] of expected) {
        const entry = entryOf(index, item);
        if (entry !== undefined) entries.set(place, fingerprint(entry));
      }
    }
    for (const [index, entries] of expected) {
      for await (const entry of this.#scan(index)) {
        if (round === 0) this.#countEntry(index, entry);
        const place = fingerprint(keyOf(this.#keys, entry));
        if (!isNow(place)) continue;
        if (entries.get(place) !== fingerprint(entry)) await this.#confirm(index, entry);
        entries.delete(place);
      }
      if (entries.size === 0) continue;
      // The remaining items are not in the index; only the fingerprints of their keys are known.
      for await (const item of this.#scan())
        if (entries.has(fingerprint(keyOf(this.#keys, item)))) await this.#confirm(index, item);
    }
  }

  async *#scan(index?: VerifiedIndex): AsyncGenerator<Item, void, undefined> {
    const { signal, onProgress } = this.#options;
    const input = {
      TableName: this.#table.TableName,
      ...(index && { IndexName: index.name }),
      ConsistentRead: index === undefined || index.isLocal,
    };
    for await (const { Items = [] } of scanPages(this.#port, input, { signal, deadlineMs: 60_000 })) {
      this.#read += Items.length;
      onProgress(this.#read);
      yield* Items;
    }
  }

  async #checkItem(item: Item): Promise<void> {
    const bytes = itemSize(item);
    this.#count.items++;
    this.#count.bytes += bytes;
    const key = keyOf(this.#keys, item);
    const problem = keyProblem(this.#keys, item, { isRequired: true });
    if (problem !== undefined) await this.#report("key", "error", `${problem}: ${advice}`, { key });
    if (bytes > maxItemBytes) {
      const message = `has ${bytes} bytes, more than DynamoDB's limit of ${maxItemBytes}: ${advice}`;
      await this.#report("size", "error", message, { key });
    }
    for (const { name: index, keys } of this.#indexes) {
      const reason = keyProblem(keys, item, { isRequired: false });
      if (reason !== undefined)
        await this.#report("index-key", "info", `is not in the index: ${reason}`, { key, index });
    }
  }

  #countEntry({ name }: VerifiedIndex, entry: Item): void {
    const count = this.#entriesOf.get(name) ?? { items: 0, bytes: 0 };
    this.#entriesOf.set(name, { items: count.items + 1, bytes: count.bytes + itemSize(entry) });
    this.#count.entries++;
  }

  /**
   * Compares one item with an index again, by its key: it may have changed between the two scans. `seen` is the item, or the entry that
   * differs.
   */
  async #confirm(index: VerifiedIndex, seen: Item): Promise<void> {
    const key = keyOf(this.#keys, seen);
    for (let left = this.#options.isExclusive ? 1 : attempts; left > 0; left--) {
      const problem = await this.#problemOf(index, key, seen);
      if (problem === undefined) return;
      if (left === 1) return this.#report(...problem, { key, index: index.name });
      await sleep(systemClock, pauseMs, this.#options.signal);
    }
  }

  async #problemOf(
    index: VerifiedIndex,
    key: Item,
    seen: Item,
  ): Promise<readonly [TableFinding["kind"], "error", string] | undefined> {
    const { TableName } = this.#table;
    const { signal } = this.#options;
    const { Item: item } = await this.#port.getItem(
      { TableName, Key: key, ConsistentRead: true },
      { signal },
    );
    const expected = item && entryOf(index, item);
    const found = expected && (await this.#entryAt(index, expected));
    if (expected !== undefined && found === undefined)
      return ["index-missing", "error", `is not in the index: ${advice}`];
    if (expected !== undefined && found !== undefined && fingerprint(expected) !== fingerprint(found))
      return ["index-stale", "error", `has different values in the index and in the table: ${advice}`];
    const isExpectedThere =
      expected !== undefined && isSame(keyOf(index.keys, expected), keyOf(index.keys, seen));
    if (isExpectedThere || (await this.#entryAt(index, seen)) === undefined) return undefined;
    const reason = item === undefined ? "the table does not have the item" : "the item has different values";
    return ["index-orphan", "error", `is in the index, but ${reason}: ${advice}`];
  }

  /** The entry of an index with the index key and the table key of an item. */
  async #entryAt({ name: IndexName, isLocal, keys }: VerifiedIndex, item: Item): Promise<Item | undefined> {
    // An item that lacks a key of the index is not in it.
    if (keyProblem(keys, item, { isRequired: true }) !== undefined) return undefined;
    const input = {
      TableName: this.#table.TableName,
      IndexName,
      ConsistentRead: isLocal,
      KeyConditionExpression: keys.map((_key, at) => `#k${at} = :k${at}`).join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(keys.map(({ name }, at) => [`#k${at}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        keys.flatMap(({ name }, at) => {
          const value = item[name];
          return value === undefined ? [] : [[`:k${at}`, value]];
        }),
      ),
    };
    const { signal } = this.#options;
    for await (const entry of queryItems(this.#port, input, { signal, deadlineMs: 60_000 }))
      if (isSame(keyOf(this.#keys, entry), keyOf(this.#keys, item))) return entry;
    return undefined;
  }

  /** Only a folder that no other process has open counts exactly, as of now. */
  async #checkCounts(): Promise<void> {
    const { ItemCount = 0, TableSizeBytes = 0 } = this.#table;
    await this.#checkCount({ items: ItemCount, bytes: TableSizeBytes }, this.#count);
    for (const { name, isActive, itemCount, sizeBytes } of this.#indexes) {
      if (!isActive) continue;
      const found = this.#entriesOf.get(name) ?? { items: 0, bytes: 0 };
      await this.#checkCount({ items: itemCount, bytes: sizeBytes }, found, name);
    }
  }

  async #checkCount(recorded: Size, found: Size, index?: string): Promise<void> {
    if (recorded.items === found.items && recorded.bytes === found.bytes) return;
    const message = `${sizeText(recorded)} are recorded, and ${sizeText(found)} are stored: ${advice}`;
    await this.#report("count", "error", message, { ...(index !== undefined && { index }) });
  }

  async #report(
    kind: TableFinding["kind"],
    severity: TableFinding["severity"],
    message: string,
    where: Pick<TableFinding, "key" | "index">,
  ): Promise<void> {
    this.#count[severity]++;
    await this.#options.onFinding({ kind, severity, ...where, message });
  }
}

interface Size {
  readonly items: number;
  readonly bytes: number;
}

function sizeText({ items, bytes }: Size): string {
  return `${items} items with ${bytes} bytes`;
}

function isSame(one: Item, other: Item): boolean {
  return fingerprint(one) === fingerprint(other);
}
