import type { AttributeValue, Item, QueryInput, QueryOutput } from "@tablekeep/core";
import type { PortWorld } from "./port-case.ts";
import { seed } from "./seed.ts";

const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

/** Items of a fresh index partition `g`: one with `h`, one without, two with equal `h`; all in other table partitions. */
export async function indexedRows({
  port,
  tables,
  unique,
}: PortWorld): Promise<{ g: AttributeValue; items: Item[] }> {
  const g = s(unique());
  const items = [
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
