import type { StoredItem } from "../item/stored-item.ts";
import { metaKey } from "./storage-keys.ts";

/** How many items a table has, or entries an index, and their bytes as DynamoDB counts them. */
export interface Count {
  readonly items: number;
  readonly bytes: number;
}

interface Reader {
  get(key: string): string | undefined;
}

interface Writer extends Reader {
  put(key: string, value: string): void;
}

/** `[items, bytes]` by storage id, of a table and its indexes. */
type Counts = Record<string, [number, number]>;

/** The key of the record that holds the counts of a table and its indexes. */
export function countsKey(tableId: string): string {
  return metaKey(`counts/${tableId}`);
}

/** What one write does to the counts of a table and its indexes: one small record, and none if nothing changes. */
export class CountChange {
  readonly #tableId: string;
  #changes: Counts | undefined;

  constructor(tableId: string) {
    this.#tableId = tableId;
  }

  /** An entry of the table or index `id` takes the place of another; either may be none. */
  replace(id: string, before: StoredItem | undefined, after: StoredItem | undefined): void {
    const items = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    const bytes = (after?.size ?? 0) - (before?.size ?? 0);
    if (items === 0 && bytes === 0) return;
    this.#changes ??= {};
    const change = this.#changes[id];
    this.#changes[id] = change === undefined ? [items, bytes] : [change[0] + items, change[1] + bytes];
  }

  /** Stores what has become of the counts. */
  store(transaction: Writer): void {
    if (this.#changes === undefined) return;
    const key = countsKey(this.#tableId);
    const counts = parse(transaction.get(key));
    for (const id of Object.keys(this.#changes)) {
      const [items, bytes] = this.#changes[id] as [number, number];
      const [oldItems, oldBytes] = counts[id] ?? [0, 0];
      counts[id] = [oldItems + items, oldBytes + bytes];
    }
    transaction.put(key, JSON.stringify(counts));
  }
}

/** The counts of a table and its indexes, by storage id. */
export function readCounts(reader: Reader, tableId: string): (id: string) => Count {
  const counts = parse(reader.get(countsKey(tableId)));
  return (id) => {
    const [items, bytes] = counts[id] ?? [0, 0];
    return { items, bytes };
  };
}

/** Forgets the counts of an index that is no more. */
export function forgetCount(transaction: Writer, tableId: string, indexId: string): void {
  const { [indexId]: _, ...others } = parse(transaction.get(countsKey(tableId)));
  transaction.put(countsKey(tableId), JSON.stringify(others));
}

function parse(text: string | undefined): Counts {
  return text === undefined ? {} : (JSON.parse(text) as Counts);
}
