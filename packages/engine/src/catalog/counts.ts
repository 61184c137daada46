import type { StoredItem } from "../values/stored-item.ts";
import { metaKey } from "./storage-keys.ts";

/** The number of items of a table, or of entries of an index, and their bytes as DynamoDB counts them. */
interface Count {
  items: number;
  bytes: number;
}

interface Reader {
  get(key: string): string | undefined;
}

interface Writer extends Reader {
  put(key: string, value: string): void;
}

/** By storage id, of a table and its indexes. */
type Counts = Map<string, Count>;

/** The key of the record with the counts of a table and its indexes. */
export function countsKey(tableId: string): string {
  return metaKey(`counts/${tableId}`);
}

/** The effect of one write on the counts of a table and its indexes: one small record, and none if nothing changes. */
export class CountChange {
  readonly #tableId: string;
  readonly #changes: Counts = new Map();

  constructor(tableId: string) {
    this.#tableId = tableId;
  }

  /** Replaces an entry of the table or index `id`; either side may be undefined. */
  replace(id: string, before: StoredItem | undefined, after: StoredItem | undefined): void {
    const items = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    const bytes = (after?.size ?? 0) - (before?.size ?? 0);
    if (items !== 0 || bytes !== 0) add(this.#changes, id, items, bytes);
  }

  /** Stores the changed counts. */
  store(transaction: Writer): void {
    if (this.#changes.size === 0) return;
    const key = countsKey(this.#tableId);
    const counts = parse(transaction.get(key));
    for (const [id, { items, bytes }] of this.#changes) add(counts, id, items, bytes);
    transaction.put(key, format(counts));
  }
}

/** Reads the counts of a table and its indexes, by storage id. */
export function readCounts(reader: Reader, tableId: string): (id: string) => Readonly<Count> {
  const counts = parse(reader.get(countsKey(tableId)));
  return (id) => counts.get(id) ?? { items: 0, bytes: 0 };
}

/** Deletes the counts of a deleted index. */
export function deleteCount(transaction: Writer, tableId: string, indexId: string): void {
  const counts = parse(transaction.get(countsKey(tableId)));
  counts.delete(indexId);
  transaction.put(countsKey(tableId), format(counts));
}

function add(counts: Counts, id: string, items: number, bytes: number): void {
  const count = counts.get(id);
  if (count === undefined) {
    counts.set(id, { items, bytes });
  } else {
    count.items += items;
    count.bytes += bytes;
  }
}

const idLength = 4;

/** Storage id, items, comma, bytes, semicolon; and so on. Not JSON, because every write parses and formats it. */
function format(counts: Counts): string {
  let text = "";
  for (const [id, { items, bytes }] of counts) text += `${id}${items},${bytes};`;
  return text;
}

function parse(text = ""): Counts {
  const counts: Counts = new Map();
  for (let at = 0; at < text.length; ) {
    const comma = text.indexOf(",", at + idLength);
    const end = text.indexOf(";", comma);
    counts.set(text.slice(at, at + idLength), {
      items: Number(text.slice(at + idLength, comma)),
      bytes: Number(text.slice(comma + 1, end)),
    });
    at = end + 1;
  }
  return counts;
}
