import type { DynamoPort, Item } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { counter } from "./counter.ts";
import { engineForEntities, eventsOf, openWorld, tables } from "./entity-world.ts";

const add = (amount: number) => ({ type: "add", amount }) as const;
const get = { type: "get" } as const;
const pid = "counter|x";
const settings = { snapshotEvery: 2 };

/** An entity with four events of 100 each, and snapshots at 2 and 4. */
async function grown(
  options: { readonly keepSnapshots?: number; readonly deleteCoveredEvents?: boolean } = {},
) {
  const world = await openWorld([counter], { ...settings, ...options });
  for (let turn = 0; turn < 4; turn++) {
    await world.host.of(counter).ask("x", add(100), { commandId: `c${turn}` });
    await world.host.idle();
  }
  return world;
}

const freshHost = async (port: DynamoPort) => (await openWorld([counter], { ...settings, port })).host;

async function itemsOf(port: DynamoPort, table: string): Promise<Item[]> {
  return (await port.scan({ TableName: table, ConsistentRead: true })).Items ?? [];
}

/** Restores one table to earlier items. */
async function restore(port: DynamoPort, table: string, items: readonly Item[], keys: readonly string[]) {
  for (const item of await itemsOf(port, table)) {
    const Key = Object.fromEntries(keys.map((name) => [name, item[name] as Item[string]]));
    await port.deleteItem({ TableName: table, Key });
  }
  for (const item of items) await port.putItem({ TableName: table, Item: item });
}

const ahead = (highest: number) => ({
  code: "ENTITY_SNAPSHOT_AHEAD",
  kind: "corrupt",
  retryable: false,
  details: { entity: "counter", id: "x", snapshotNr: 4, highest },
});

describe("a snapshot ahead of its journal", () => {
  test("after a purge, a fresh host returns no purged state and accepts no command", async () => {
    const { stores, port } = await grown();
    await stores.journal.purge(pid);
    const host = await freshHost(port);
    await expect(host.of(counter).ask("x", get)).rejects.toMatchObject(ahead(0));
    await expect(host.of(counter).ask("x", add(1))).rejects.toMatchObject(ahead(0));
    await expect(host.of(counter).read("x")).rejects.toMatchObject(ahead(0));
    await expect(host.of(counter).stateAt("x", { sequenceNr: 2 })).rejects.toMatchObject({
      code: "ENTITY_SNAPSHOT_AHEAD",
    });
    expect(await eventsOf(stores.journal, pid)).toEqual([]);
  });

  test("after forget, the entity starts again at its first event", async () => {
    const { stores, port } = await grown();
    await stores.journal.purge(pid);
    await (await freshHost(port)).of(counter).forget("x");
    const host = await freshHost(port);
    expect(await host.of(counter).ask("x", add(1))).toMatchObject({ total: 1, sequenceNr: 1 });
    expect(await (await freshHost(port)).of(counter).ask("x", get)).toEqual({ total: 1, events: 1 });
  });

  test("after a restore of the journal alone, a fresh host refuses until the newer snapshots are deleted", async () => {
    const world = await openWorld([counter], settings);
    const { host, port, stores } = world;
    for (let turn = 0; turn < 3; turn++) await host.of(counter).ask("x", add(100));
    await host.idle();
    const old = await itemsOf(port, tables.events);
    await host.of(counter).ask("x", add(100));
    await host.idle();
    await restore(port, tables.events, old, ["par", "num"]);
    const fresh = await freshHost(port);
    await expect(fresh.of(counter).ask("x", add(1))).rejects.toMatchObject(ahead(3));
    await stores.snapshots.deleteMany(pid, { minSequenceNr: 4 });
    expect(await fresh.of(counter).ask("x", add(1))).toMatchObject({ total: 301, sequenceNr: 4 });
  });

  test("a host with the entity in memory continues, and a fresh one sees all its events", async () => {
    const world = await openWorld([counter], settings);
    const { host, port } = world;
    for (let turn = 0; turn < 3; turn++) await host.of(counter).ask("x", add(100));
    await host.idle();
    const old = await itemsOf(port, tables.events);
    await host.of(counter).ask("x", add(100));
    await host.idle();
    await restore(port, tables.events, old, ["par", "num"]);
    expect(await host.of(counter).ask("x", add(1))).toMatchObject({ total: 401, sequenceNr: 5 });
    expect(await (await freshHost(port)).of(counter).ask("x", get)).toEqual({ total: 401, events: 5 });
  });

  test("is not reported while another host writes and saves snapshots", async () => {
    const port = await engineForEntities();
    const hosts = [await freshHost(port), await freshHost(port)];
    const asks = hosts.flatMap((host) =>
      Array.from({ length: 10 }, () => host.of(counter).ask("x", add(1), { deadlineMs: 60_000 })),
    );
    await Promise.all(asks);
    await Promise.all(hosts.map((host) => host.idle()));
    expect(await (await freshHost(port)).of(counter).ask("x", get)).toEqual({ total: 20, events: 20 });
  });
});
