import { ensureTable, type Meter, metered } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openShadows, type Shadows, type ShadowsOptions, shadowTableSpec } from "../src/index.ts";

/** An engine in memory with an empty table for shadows. */
export interface ShadowWorld {
  readonly engine: DynamoPort;
  /** The engine, measured. */
  readonly port: DynamoPort;
  readonly meter: Meter;
  readonly table: string;
  open(options?: ShadowsOptions): Shadows;
  /** Opens shadows on another port to the same table. */
  openOn(port: DynamoPort, options?: ShadowsOptions): Shadows;
  /** Every item of a thing. */
  items(id: string): Promise<Item[]>;
  put(item: Item): Promise<void>;
}

export async function shadowWorld(): Promise<ShadowWorld> {
  const table = "shadows";
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec(table));
  const { port, meter } = metered(engine, { capacity: true });
  const openOn = (on: DynamoPort, options: ShadowsOptions = {}) => openShadows(on, { table, ...options });
  return {
    engine,
    port,
    meter,
    table,
    open: (options) => openOn(port, options),
    openOn,
    async items(id) {
      const { Items = [] } = await engine.query({
        TableName: table,
        KeyConditionExpression: "PK = :id",
        ExpressionAttributeValues: { ":id": { S: `DS#${id}` } },
        ConsistentRead: true,
      });
      return Items;
    },
    async put(item) {
      await engine.putItem({ TableName: table, Item: item });
    },
  };
}

/** The key and the original's attributes of an item, as the original writes it. */
export function originalItem(
  id: string,
  sort: string,
  version: number,
  halves: { reported?: Item; desired?: Item },
): Item {
  const half = (value: Item | undefined) => (value === undefined ? { NULL: true } : { M: value });
  return {
    PK: { S: `DS#${id}` },
    SK: { S: sort },
    Version: { N: String(version) },
    TimeStamp: { N: "1794708821917405583" },
    ClientToken: { S: "" },
    Desired: half(halves.desired),
    Reported: half(halves.reported),
  };
}
