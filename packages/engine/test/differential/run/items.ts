import { type DynamoPort, type Item, isDynamoError } from "@tablekeep/core";
import { inNormalForm } from "../gaps/numbers.ts";
import type { Step } from "../step.ts";
import type { TestTable } from "../tables.ts";
import { normalText } from "./comparable.ts";

/** An item that a write names, by its key. */
export interface NamedItem {
  readonly table: TestTable;
  readonly key: Item;
}

/** An item that a write names, before the write and after it. */
export interface Change extends NamedItem {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const writes: ReadonlySet<string> = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/** Returns the items that a write names. A broken request may have anything in their place. */
export function namedItems({ operation, input }: Step, tables: readonly TestTable[]): NamedItem[] {
  if (!writes.has(operation)) return [];
  return requestsIn(operation, input).flatMap(([name, whole]) => {
    const table = tables.find((each) => each.name === name);
    const key = table && keyIn(table, whole);
    return table !== undefined && key !== undefined ? [{ table, key }] : [];
  });
}

/** Reads an item; undefined if there is none, or if the key is broken. */
export async function readItem(port: DynamoPort, { table, key }: NamedItem): Promise<Item | undefined> {
  try {
    return (await port.getItem({ TableName: table.name, Key: key, ConsistentRead: true })).Item;
  } catch (error) {
    if (!isDynamoError(error)) throw error;
    return undefined;
  }
}

/** Copies an item from one backend to the other. */
export async function copyItem(named: NamedItem, from: DynamoPort, to: DynamoPort): Promise<void> {
  const item = await readItem(from, named);
  const TableName = named.table.name;
  if (item !== undefined) await to.putItem({ TableName, Item: item });
  else if ((await readItem(to, named)) !== undefined) await to.deleteItem({ TableName, Key: named.key });
}

/** Returns whether an item is equal on both backends. */
export function sameItems(one: Item | undefined, two: Item | undefined): boolean {
  return normalText(inNormalForm(one ?? null)) === normalText(inNormalForm(two ?? null));
}

type Members = Readonly<Record<string, unknown>>;

function requestsIn(operation: string, input: Members): (readonly [unknown, unknown])[] {
  if (operation === "BatchWriteItem") {
    return Object.entries((input["RequestItems"] ?? {}) as Members).flatMap(([name, requests]) =>
      membersOf(requests).flatMap((request) =>
        membersOf(request).map((each) => [name, itemOf(each)] as const),
      ),
    );
  }
  if (operation === "TransactWriteItems") {
    return membersOf(input["TransactItems"]).flatMap((action) =>
      membersOf(action).map((each) => [each["TableName"], itemOf(each)] as const),
    );
  }
  return [[input["TableName"], itemOf(input)]];
}

function membersOf(value: unknown): Members[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).filter((each): each is Members => typeof each === "object" && each !== null);
}

function itemOf(request: Members): unknown {
  return request["Item"] ?? request["Key"];
}

function keyIn({ hash, range }: TestTable, whole: unknown): Item | undefined {
  const item = (whole ?? {}) as Item;
  const parts = [hash, ...(range ? [range] : [])];
  const values = parts.map(({ name, type }) => [name, type, item[name]?.[type] as unknown] as const);
  if (values.some(([, , value]) => value === undefined || value === null)) return undefined;
  // DynamoDB Local accepts a JSON number in place of its string.
  const asKey = (value: unknown) => (value instanceof Uint8Array ? value : String(value));
  return Object.fromEntries(
    values.map(([name, type, value]) => [name, { [type]: asKey(value) }]),
  ) as unknown as Item;
}
