import type {
  AttributeValue,
  CreateTableInput,
  DynamoPort,
  Item,
  QueryInput,
  QueryOutput,
  WriteRequest,
} from "@tablekeep/core";
import { same } from "./expectations.ts";
import type { PortWorld } from "./port-case.ts";
import { isActive, tableInput } from "./tables.ts";

/** Writes items with BatchWriteItem, 25 at a time, until none is unprocessed. */
export async function seed(port: DynamoPort, table: string, items: readonly Item[]): Promise<void> {
  for (let from = 0; from < items.length; from += 25) {
    let requests: WriteRequest[] = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    for (let round = 0; requests.length > 0; round++) {
      if (round === 100) throw new Error(`${table} leaves items unprocessed after ${round} rounds`);
      const { UnprocessedItems } = await port.batchWriteItem({ RequestItems: { [table]: requests } });
      requests = UnprocessedItems?.[table] ?? [];
    }
  }
}

/** Writes one item for each sort key under a new partition in the shared table `composite`; returns the partition key. */
export async function seedPartition(
  { port, tables, unique }: PortWorld,
  sortKeys: readonly string[],
  others: (sortKey: string, index: number) => Item = () => ({}),
): Promise<{ S: string }> {
  const pk = { S: unique() };
  await seed(
    port,
    tables.composite,
    sortKeys.map((sk, index) => ({ pk, sk: { S: sk }, ...others(sk, index) })),
  );
  return pk;
}

/** The strings (S or N) of one attribute, item by item. */
export function column(items: readonly Item[] | undefined, attribute: string): (string | undefined)[] {
  return (items ?? []).map((item) => item[attribute]?.S ?? item[attribute]?.N);
}

/** What a global index shows becomes `expected`: on AWS a moment after the write, elsewhere at once. */
export async function settles(
  world: PortWorld,
  read: () => Promise<unknown>,
  expected: unknown,
): Promise<void> {
  if (world.backend !== "aws") return same(await read(), expected);
  let last: unknown;
  const agrees = async () => {
    last = await read();
    try {
      same(last, expected);
      return true;
    } catch {
      return false;
    }
  };
  await world.eventually("the index has caught up", agrees).catch(() => same(last, expected));
}

const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

/** Items of a fresh index partition `g`: one with `h`, one without, two with equal `h`; all in other table partitions. */
export async function indexedRows({
  port,
  tables,
  unique,
}: PortWorld): Promise<{ g: AttributeValue; items: Item[] }> {
  const g = s(unique());
  const items: Item[] = [
    { pk: s(unique()), sk: s("1"), g, h: n("10"), a: s("a1"), b: s("b1") },
    { pk: s(unique()), sk: s("2"), g, h: n("9"), a: s("a2"), b: s("b2") },
    { pk: s(unique()), sk: s("3"), g, a: s("a3") },
    { pk: s(unique()), sk: s("4"), g, h: n("10"), b: s("b4") },
  ];
  await seed(port, tables.indexed, items);
  return { g, items };
}

/** Queries one partition of a global index of the shared table `indexed`. */
export function queryIndex(
  world: PortWorld,
  IndexName: string,
  g: AttributeValue,
  over: Partial<QueryInput> = {},
): Promise<QueryOutput> {
  const { ExpressionAttributeValues, ...rest } = over;
  return world.port.query({
    TableName: world.tables.indexed,
    IndexName,
    KeyConditionExpression: "g = :g",
    ExpressionAttributeValues: { ":g": g, ...ExpressionAttributeValues },
    ...rest,
  });
}

/** The items in the order of their table sort key. */
export function bySortKey(items: readonly Item[] | undefined): Item[] {
  return [...(items ?? [])].sort((one, two) => ((one["sk"]?.S ?? "") < (two["sk"]?.S ?? "") ? -1 : 1));
}

/** Only these attributes of an item. */
export function only(item: Item | undefined, ...names: string[]): Item {
  return Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => names.includes(name)));
}

/** Attributes of every type, without a key: what the cases on conditions and updates start from. */
export const sampleItem: Item = {
  s: { S: "hello" },
  blank: { S: "" },
  n: { N: "5" },
  b: { B: Uint8Array.of(1, 2, 3) },
  yes: { BOOL: true },
  nul: { NULL: true },
  ss: { SS: ["a", "b", "c"] },
  ns: { NS: ["1", "2.5", "10"] },
  bs: { BS: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
  l: { L: [{ N: "1" }, { S: "x" }, { M: { a: { N: "20" } } }, { L: [{ N: "30" }, { N: "31" }] }] },
  m: { M: { a: { M: { b: { S: "deep" } } }, n: { N: "7" }, "c.d": { S: "dotted" } } },
  "a.b": { S: "a name with a dot" },
  "a-b": { S: "a name with a dash" },
  name: { S: "a reserved word" },
};

/** Creates a table for one case alone and waits until it can be used; the suite deletes it at the end. */
export async function ownTable(world: PortWorld, over: Partial<CreateTableInput> = {}): Promise<string> {
  const input = tableInput(world.unique(), over);
  await world.port.createTable(input);
  const name = input.TableName ?? "";
  await world.eventually(`table ${name} is active`, () => isActive(world.port, name));
  return name;
}
