import type { DynamoPort, Item, Key } from "@tablekeep/core";

/** Reads the halves of shadows, stored separately, that a write of these keys may have left unchanged. Returns the found items by key. */
export async function readOtherHalves(
  port: DynamoPort,
  table: string,
  keys: readonly (Key | Item)[],
): Promise<(key: Key) => Item | undefined> {
  const found = new Map<string, Item | undefined>();
  for (const { PK, SK } of keys) {
    const [kind, name = ""] = [SK?.S?.slice(0, 4), SK?.S?.slice(4)];
    const other = kind === "DSR#" ? "DSD#" : kind === "DSD#" ? "DSR#" : undefined;
    if (other === undefined) continue;
    const key: Key = { PK: { S: PK?.S ?? "" }, SK: { S: other + name } };
    const { Item } = await port.getItem({ TableName: table, Key: key, ConsistentRead: true });
    found.set(textOf(key), Item);
  }
  return (key) => found.get(textOf(key));
}

function textOf(key: Key): string {
  return `${key["PK"]?.S} ${key["SK"]?.S}`;
}
