import type { Item } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  countEntries,
  define,
  describeThings,
  keySchema,
  openTestDatabase,
  PersistentTestStorage,
  putAll,
  scanAll,
  tableInput,
  until,
  withFolder,
} from "../../test/tables.ts";
import { countsKey } from "../catalog/counts.ts";
import { regions } from "../catalog/storage-keys.ts";
import { jobPrefix } from "../database/job.ts";
import { openEngine } from "../engine.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";

const addIndex = {
  TableName: "things",
  AttributeDefinitions: define("g"),
  GlobalSecondaryIndexUpdates: [
    {
      Create: {
        IndexName: "by-g",
        KeySchema: keySchema("g"),
        Projection: { ProjectionType: "ALL" as const },
      },
    },
  ],
};
const ttlOn = { TableName: "things", TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" } };

function items(count: number, typed = false): Item[] {
  return Array.from({ length: count }, (_, at) => ({
    pk: { S: `item-${at}` },
    g: at % 10 === 0 && !typed ? { N: "1" } : { S: `group-${at % 7}` },
    ttl: { N: "9999999999" },
  }));
}

/** Expects the index to contain exactly its part of the items, and to report the right counts. */
async function expectIndexConsistent(port: Parameters<typeof scanAll>[0]): Promise<void> {
  const texts = (found: Item[]) => found.map((item) => JSON.stringify(item["pk"])).sort();
  const expected = (await scanAll(port)).filter((item) => item["g"]?.S !== undefined);
  expect(texts(await scanAll(port, "by-g"))).toEqual(texts(expected));
  const index = (await describeThings(port)).GlobalSecondaryIndexes?.[0];
  expect(index?.ItemCount).toBe(expected.length);
}

describe("a new index", () => {
  test("is filled in small commits while items are added, changed and deleted", async () => {
    const storage = new PersistentTestStorage();
    const { port, database } = openTestDatabase(storage);
    await port.createTable(tableInput());
    await putAll(port, items(1500));
    storage.commitSizes.length = 0;
    await port.updateTable(addIndex);
    const writes: Promise<unknown>[] = [];
    for (let at = 0; at < 1500; at += 3) {
      const Key = { pk: { S: `item-${at}` } };
      if (at % 2 === 0) writes.push(port.deleteItem({ TableName: "things", Key }));
      else {
        const Item = { ...Key, g: { S: `moved-${at % 5}` }, more: { S: "x".repeat(at % 50) } };
        writes.push(port.putItem({ TableName: "things", Item }));
      }
      if (at % 60 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(writes);
    await database.background.idle();
    await expectIndexConsistent(port);
    expect(storage.commitSizes.length).toBeGreaterThan(7);
    expect(Math.max(...storage.commitSizes)).toBeLessThan(400);
  });

  test("is finished by the next process if one dies in between", async () => {
    const storage = new PersistentTestStorage();
    const first = openTestDatabase(storage);
    await first.port.createTable(tableInput());
    await putAll(first.port, items(1000));
    storage.commitsLeft = 3; // the request, and two pieces
    await first.port.updateTable(addIndex);
    await until("the disk is full", () => storage.commitsLeft === 0);
    await first.database.background.stop();
    expect((await describeThings(first.port)).GlobalSecondaryIndexes?.[0]?.IndexStatus).toBe("CREATING");
    const filled = countEntries(storage, regions.indexes);
    expect(filled).toBeGreaterThan(0);
    expect(filled).toBeLessThan(900);
    storage.commitsLeft = Number.POSITIVE_INFINITY;
    storage.commitSizes.length = 0;

    const second = openTestDatabase(storage);
    expect((await describeThings(second.port)).GlobalSecondaryIndexes?.[0]?.IndexStatus).toBe("CREATING");
    await second.database.background.idle();
    await expectIndexConsistent(second.port);
    expect((await describeThings(second.port)).GlobalSecondaryIndexes?.[0]?.IndexStatus).toBe("ACTIVE");
    expect(storage.commitSizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(900);
  });

  test("waits while the disk is full, and continues when there is space", async () => {
    const storage = new PersistentTestStorage();
    const clock = fakeClock();
    const { port, database } = openTestDatabase(storage, { clock });
    await port.createTable(tableInput());
    await putAll(port, items(500));
    storage.commitsLeft = 2;
    await port.updateTable(addIndex);
    await until("it waits", () => storage.commitsLeft === 0 && clock.pending > 0);
    storage.commitsLeft = Number.POSITIVE_INFINITY;
    await clock.advance(5_000);
    await database.background.idle();
    await expectIndexConsistent(port);
  });

  test("contains the items of writes committed together with it", async () => {
    const storage = new PersistentTestStorage();
    const { port, database } = openTestDatabase(storage);
    await port.createTable(tableInput());
    const update = port.updateTable(addIndex);
    // The index is not in the catalog before its commit: this write, of the same turn, does not know it yet.
    const put = port.putItem({ TableName: "things", Item: { pk: { S: "1" }, g: { S: "a" } } });
    await Promise.all([update, put]);
    await database.background.idle();
    await expectIndexConsistent(port);
    expect((await scanAll(port, "by-g")).length).toBe(1);
  });

  test("leaves nothing behind if it is deleted while being filled", async () => {
    const storage = new PersistentTestStorage();
    const { port, database } = openTestDatabase(storage);
    await port.createTable(tableInput());
    await putAll(port, items(600));
    await port.updateTable(addIndex);
    await until("some are in it", () => countEntries(storage, regions.indexes) > 0);
    await port.updateTable({
      TableName: "things",
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "by-g" } }],
    });
    await database.background.idle();
    expect(countEntries(storage, regions.indexes)).toBe(0);
    expect(countEntries(storage, jobPrefix)).toBe(0);
    await port.updateTable(addIndex);
    await database.background.idle();
    await expectIndexConsistent(port);
  });

  test("omits items whose value is not a valid key, and counts correctly when they are deleted", async () => {
    const { port, database } = openTestDatabase(new MemoryStorage());
    await port.createTable(tableInput());
    const odd: Item[] = [
      { pk: { S: "empty" }, g: { S: "" } },
      { pk: { S: "long" }, g: { S: "ü".repeat(1025) } },
      { pk: { S: "number" }, g: { N: "1" } },
      { pk: { S: "none" } },
      { pk: { S: "good" }, g: { S: "ü".repeat(1024) } },
    ];
    await putAll(port, odd);
    await port.updateTable(addIndex);
    await database.background.idle();
    const names = (found: Item[]) => found.map((item) => item["pk"]?.S);
    expect(names(await scanAll(port, "by-g"))).toEqual(["good"]);
    for (const { pk } of odd) await port.deleteItem({ TableName: "things", Key: { pk: pk ?? { S: "" } } });
    expect((await describeThings(port)).GlobalSecondaryIndexes?.[0]).toMatchObject({
      ItemCount: 0,
      IndexSizeBytes: 0,
    });
  });
});

describe("a deleted table", () => {
  test("is removed in small commits, and the next process continues if one dies in between", async () => {
    const storage = new PersistentTestStorage();
    const first = openTestDatabase(storage);
    await first.port.createTable(tableInput());
    await first.port.updateTable(addIndex);
    await first.port.updateTimeToLive(ttlOn);
    await first.database.background.idle();
    await putAll(first.port, items(700, true));
    const id = first.database.catalog.get("things").id;
    storage.commitsLeft = 2;
    await first.port.deleteTable({ TableName: "things" });
    await until("the disk is full", () => storage.commitsLeft === 0);
    await first.database.background.stop();
    const left = countEntries(storage, regions.items);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(700);
    storage.commitsLeft = Number.POSITIVE_INFINITY;

    const second = openTestDatabase(storage);
    // Its name is free at once, and the removal does not affect the new table.
    await second.port.createTable(tableInput());
    await second.port.putItem({ TableName: "things", Item: { pk: { S: "new" } } });
    await second.database.background.idle();
    expect(await scanAll(second.port)).toEqual([{ pk: { S: "new" } }]);
    for (const region of [regions.indexes, regions.expiry, jobPrefix]) {
      expect(countEntries(storage, region)).toBe(0);
    }
    expect(countEntries(storage, regions.items)).toBe(1);
    expect(storage.get(countsKey(id))).toBeUndefined();
  });
});

describe("in a folder", () => {
  test("tables, counts, expiry entries, streams and unfinished jobs survive a restart", async () => {
    await withFolder(async (path) => {
      const storage = { kind: "folder", path, durable: false } as const;
      const first = await openEngine({ storage });
      await first.createTable(
        tableInput({ StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } }),
      );
      await putAll(first, items(800));
      await first.createTable(tableInput({ TableName: "doomed" }));
      await putAll(first, items(800), "doomed");
      await first.updateTimeToLive(ttlOn);
      await first.updateTable(addIndex);
      await first.deleteTable({ TableName: "doomed" });
      await first.close();

      const second = await openEngine({ storage });
      const description = await describeThings(second);
      expect(description).toMatchObject({ ItemCount: 800, TableName: "things" });
      await until("the index is there", async () => {
        const [index] = (await describeThings(second)).GlobalSecondaryIndexes ?? [];
        return index?.IndexStatus === "ACTIVE";
      });
      await until("expiry is on", async () => {
        const { TimeToLiveDescription } = await second.describeTimeToLive({ TableName: "things" });
        return TimeToLiveDescription?.TimeToLiveStatus === "ENABLED";
      });
      await expectIndexConsistent(second);
      const { Streams } = await second.listStreams({ TableName: "things" });
      expect(Streams?.[0]?.StreamArn).toBe(description.LatestStreamArn);
      expect((await second.listTables({})).TableNames).toEqual(["things"]);
      await second.close();
    });
  });
});

describe("closing", () => {
  test("stops background work without an unhandled rejection", async () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown) => unheard.push(reason);
    process.on("unhandledRejection", listen);
    const storage = new PersistentTestStorage();
    const { port, database } = openTestDatabase(storage, { clock: fakeClock() });
    await port.createTable(tableInput());
    await putAll(port, items(600));
    await port.updateTable(addIndex);
    await port.close();
    const commits = storage.commitSizes.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(storage.commitSizes.length).toBe(commits);
    database.background.wake();
    database.background.scheduleSweep();
    await database.background.idle();
    expect(storage.commitSizes.length).toBe(commits);
    process.off("unhandledRejection", listen);
    expect(unheard).toEqual([]);
  });

  test("rejects every further call with a typed error", async () => {
    const engine = await openEngine({ storage: { kind: "memory" } });
    await engine.createTable(tableInput());
    await Promise.all([engine.close(), engine.close()]);
    await expect(engine.describeTable({ TableName: "things" })).rejects.toMatchObject({
      code: "ENGINE_CLOSED",
      kind: "closed",
    });
  });
});
