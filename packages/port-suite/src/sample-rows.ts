import type { CreateTableInput, DynamoPort, Item, QueryInput, WriteRequest } from "@tablekeep/core";
import { n, s } from "./attribute-values.ts";
import type { PortWorld } from "./port-case.ts";
import { isActive, tableInput } from "./shared-tables.ts";

/** Writes one item with PutItem, several with BatchWriteItem, 25 at a time, until none is unprocessed. */
export async function seed(port: DynamoPort, table: string, items: readonly Item[]): Promise<void> {
  if (items.length === 1) {
    await port.putItem({ TableName: table, Item: items[0] });
    return;
  }
  for (let from = 0; from < items.length; from += 25) {
    let requests: WriteRequest[] = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    for (let round = 0; requests.length > 0; round++) {
      if (round === 100) throw new Error(`${table} leaves items unprocessed after ${round} rounds`);
      const { UnprocessedItems } = await port.batchWriteItem({ RequestItems: { [table]: requests } });
      requests = UnprocessedItems?.[table] ?? [];
    }
  }
}

/** The strings (S or N) of one attribute, item by item. */
export function column(items: readonly Item[] | undefined, attribute: string): (string | undefined)[] {
  return (items ?? []).map((item) => item[attribute]?.S ?? item[attribute]?.N);
}

/** Items of the index partition `$g`: one without `h`, two with equal `h`; all in other partitions of the shared table `indexed`. */
export const indexedItems: readonly Item[] = [
  { pk: s("$one"), sk: s("1"), g: s("$g"), h: n(10), a: s("a1"), b: s("b1") },
  { pk: s("$two"), sk: s("2"), g: s("$g"), h: n(9), a: s("a2"), b: s("b2") },
  { pk: s("$three"), sk: s("3"), g: s("$g"), a: s("a3") },
  { pk: s("$four"), sk: s("4"), g: s("$g"), h: n(10), b: s("b4") },
];

/** A query of the partition `$g` of a global index of the shared table `indexed`. */
export function byIndex(IndexName: string, over: Partial<QueryInput> = {}): Partial<QueryInput> {
  const { ExpressionAttributeValues, ...rest } = over;
  return {
    IndexName,
    KeyConditionExpression: "g = :g",
    ExpressionAttributeValues: { ":g": s("$g"), ...ExpressionAttributeValues },
    ...rest,
  };
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
