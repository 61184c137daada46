import type { DynamoPort, Item, WriteRequest } from "@tablekeep/core";
import { same } from "./expectations.ts";
import type { PortWorld } from "./port-case.ts";

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

/** Writes one item for each sort key under a partition of its own in the shared table `composite`; gives the partition key. */
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

/** The texts (S or N) of one attribute, item by item. */
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
