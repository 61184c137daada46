import { type Item, itemSize, type QueryInput } from "@tablekeep/core";

/** What a call spends. */
export interface Cost {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A table, and its index if it has one, which contains all attributes of the items that have its two keys. */
export interface TableShape {
  readonly name: string;
  readonly keys: readonly (readonly [name: string, type: "S" | "N"])[];
  readonly index?: {
    readonly name: string;
    readonly kind: "local" | "global";
    readonly keys: readonly [hash: string, range: string];
    readonly rangeType: "S" | "N";
  };
}

/** What a request does to one item: puts `after`, or deletes the item if there is none. */
export interface Change {
  readonly table: TableShape;
  readonly key: Item;
  /** The item before the request, if there is one. */
  readonly before?: Item;
  readonly after?: Item;
}

/** A request to DynamoDB with the items that it reads or writes. All reads are strongly consistent. */
export type SentRequest =
  | {
      readonly operation: "PutItem" | "BatchWriteItem" | "TransactWriteItems";
      readonly changes: readonly Change[];
    }
  | {
      readonly operation: "Query";
      readonly table: TableShape;
      readonly input: Omit<QueryInput, "TableName" | "ConsistentRead">;
      /** The items that it reads, filtered out or not. */
      readonly items: readonly Item[];
    }
  | {
      readonly operation: "BatchGetItem";
      readonly table: TableShape;
      readonly keys: readonly Item[];
      readonly found: readonly Item[];
    };

/** The items that are stored before a call, and the requests that it sends. */
export interface Scenario {
  readonly stored: readonly (readonly [TableShape, Item])[];
  readonly requests: readonly SentRequest[];
}

/** Returns the change that puts an item whose key is free. */
export function putChange(table: TableShape, item: Item): Change {
  return { table, key: keyOf(table, item), after: item };
}

/** Returns the key of an item. */
export function keyOf(table: TableShape, item: Item): Item {
  return Object.fromEntries(table.keys.map(([name]) => [name, item[name]])) as Item;
}

/**
 * Computes what requests spend, by DynamoDB's rules: a write unit for each started KB of an item, twice in a transaction, and as many for
 * each index entry; a read unit for each started 4 KB, of an item in a batch, and of all items together in a query.
 */
export function costOf(requests: readonly SentRequest[]): Cost {
  let readUnits = 0;
  let writeUnits = 0;
  for (const request of requests) {
    if (request.operation === "Query") readUnits += readUnitsOf(sum(request.items.map(itemSize)));
    else if (request.operation === "BatchGetItem") {
      readUnits += sum(request.found.map((item) => readUnitsOf(itemSize(item))));
      readUnits += request.keys.length - request.found.length;
    } else {
      const factor = request.operation === "TransactWriteItems" ? 2 : 1;
      for (const change of request.changes) writeUnits += factor * tableUnits(change) + indexUnits(change);
    }
  }
  return { requests: requests.length, readUnits, writeUnits };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

function readUnitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 4096));
}

function writeUnitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}

function sizeOf(item: Item | undefined): number {
  return item === undefined ? 0 : itemSize(item);
}

function tableUnits({ before, after }: Change): number {
  return writeUnitsOf(Math.max(sizeOf(before), sizeOf(after)));
}

/** An entry whose keys change is deleted and put. */
function indexUnits({ table, before, after }: Change): number {
  const { index } = table;
  if (index === undefined) return 0;
  const entryOf = (item: Item | undefined) =>
    item !== undefined && index.keys.every((name) => item[name] !== undefined) ? item : undefined;
  const old = entryOf(before);
  const next = entryOf(after);
  const isSameEntry = index.keys.every(
    (name) => JSON.stringify(old?.[name]) === JSON.stringify(next?.[name]),
  );
  if (old !== undefined && next !== undefined && isSameEntry)
    return writeUnitsOf(Math.max(sizeOf(old), sizeOf(next)));
  return sum([old, next].map((entry) => (entry === undefined ? 0 : writeUnitsOf(itemSize(entry)))));
}
