import type { DynamoPort } from "@tablekeep/core";
import { expect } from "vitest";

/** Removes from the item of a journal what shows which events it has. Returns what restores it. */
export async function hideEvents(port: DynamoPort, id: string, number: number): Promise<() => Promise<void>> {
  const TableName = "events";
  const Key = { par: { S: `journal-P-${id}` }, num: { N: String(number) } };
  const { Item: stored = {} } = await port.getItem({ TableName, Key, ConsistentRead: true });
  const { ev, events: _count, ...rest } = stored;
  expect(ev).toBeDefined();
  await port.putItem({ TableName, Item: rest });
  return async () => void (await port.putItem({ TableName, Item: stored }));
}

/** Damages the item of a journal that begins at a sequence number of an id. Returns what restores it. */
export async function damageEvent(
  port: DynamoPort,
  id: string,
  number: number,
): Promise<() => Promise<void>> {
  const TableName = "events";
  const Key = { par: { S: `journal-P-${id}` }, num: { N: String(number) } };
  const { Item: stored = {} } = await port.getItem({ TableName, Key, ConsistentRead: true });
  const bytes = Uint8Array.from(stored["ev"]?.B ?? []);
  expect(bytes.length).toBeGreaterThan(0);
  bytes[bytes.length - 1] = 255 - (bytes.at(-1) as number);
  await port.putItem({ TableName, Item: { ...stored, ev: { B: bytes } } });
  return async () => void (await port.putItem({ TableName, Item: stored }));
}
