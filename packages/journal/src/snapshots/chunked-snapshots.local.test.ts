import { ensureTable, itemSize } from "@tablekeep/client";
import { type DynamoPort, systemClock } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { localWithSnapshots } from "../../test/local-port.ts";
import { textOf } from "../../test/snapshot-truth.ts";
import { allItems, noise, unique } from "../../test/snapshot-world.ts";
import { openSnapshots } from "./open-snapshots.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";
import { snapshotTableSpec } from "./snapshots.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("snapshots in chunks, on DynamoDB Local", () => {
  const table = unique();
  let port: DynamoPort;
  beforeAll(async () => {
    port = await localWithSnapshots(endpoint, table);
  });
  afterAll(async () => {
    await port.deleteTable({ TableName: table });
    await port.close();
  });

  test("fill items to DynamoDB's limit, and never exceed it", async () => {
    const snapshots = await openSnapshots(port, { table, maxItemSize: 409_600 });
    const id = unique();
    const state = noise(3_000_000);
    await snapshots.save(id, 1, state, { metadata: { of: id } });
    const found = await snapshots.load(id);
    expect(found?.metadata).toEqual({ of: id });
    expect(textOf(found?.state) === textOf(state)).toBe(true);
    await snapshots.deleteMany(id);
    expect((await allItems(port, table)).length).toBe(0);
  });

  /** The sizes of what is stored for the largest state that should be one item, and for one byte more. */
  async function sizesAround(options: SnapshotsOptions, largestItem: number): Promise<number[][]> {
    // The size of a number depends on its digits.
    const clock = { ...systemClock, now: () => 1_799_999_999_999 };
    const all = { maxItemSize: 409_600, compression: "never", clock } as const;
    const snapshots = await openSnapshots(port, { ...all, ...options });
    const id = unique();
    const sizesOf = async (length: number) => {
      await snapshots.save(id, 1, noise(length));
      const sizes = (await allItems(port, options.table)).map(itemSize);
      await snapshots.deleteMany(id);
      return sizes;
    };
    const [ofOneByte = 0] = await sizesOf(1);
    const largest = largestItem - ofOneByte + 1;
    return [await sizesOf(largest), await sizesOf(largest + 1)];
  }

  test("begin where an item and its copy in the index reach DynamoDB's limit together, to the byte", async () => {
    const [single, chunked] = await sizesAround({ table }, 204_800);
    expect([single, chunked?.length]).toEqual([[204_800], 3]);
    const tooMuch = { par: { S: "p" }, seq: { N: "1" }, ts: { N: "1" }, data: { B: noise(204_800) } };
    await expect(port.putItem({ TableName: table, Item: tooMuch })).rejects.toMatchObject({
      code: "DYNAMO_VALIDATION",
    });
  });

  test("begin at DynamoDB's limit for one item where there is no index, to the byte", async () => {
    const plain = unique();
    await ensureTable(port, snapshotTableSpec(plain, { indexed: false }));
    const [single, chunked] = await sizesAround({ table: plain, indexed: false }, 409_600);
    expect([single, chunked?.length]).toEqual([[409_600], 3]);
    await port.deleteTable({ TableName: plain });
  });

  test("are wholly the old or wholly the new one when a save over another is interrupted anywhere", async () => {
    const [before, after] = [noise(30_000), noise(120_000)];
    const options = { table, maxItemSize: 4_096 };
    const { stops } = await stopAfterNth<{ port: DynamoPort; id: string }>({
      async setup() {
        const id = unique();
        const snapshots = await openSnapshots(port, options);
        await snapshots.save(id, 1, before);
        await snapshots.close();
        return { port, id };
      },
      async run(mortal, { id }) {
        const snapshots = await openSnapshots(mortal, options);
        await snapshots.save(id, 1, after);
        await snapshots.close();
      },
      async check({ id }, stop) {
        const found = textOf((await (await openSnapshots(port, options)).load(id))?.state);
        if (stop === undefined) expect(found).toBe(textOf(after));
        else expect([textOf(before), textOf(after)]).toContain(found);
      },
    });
    expect(stops.length).toBeGreaterThan(10);
  });
});
