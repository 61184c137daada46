import type { DynamoPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { table } from "../../test/snapshot-world.ts";
import { openSnapshots } from "../snapshots/open-snapshots.ts";
import type { Snapshot, SnapshotMetadata, Snapshots } from "../snapshots/snapshots.ts";
import type { SnapshotStoreUnderTest } from "./snapshot-case.ts";
import { snapshotSuite } from "./snapshot-suite.ts";

async function listed(store: Snapshots, ...args: Parameters<Snapshots["list"]>): Promise<SnapshotMetadata[]> {
  const all: SnapshotMetadata[] = [];
  for await (const each of store.list(...args)) all.push(each);
  return all;
}

const exactly = ({ sequenceNr }: SnapshotMetadata) => ({
  minSequenceNr: sequenceNr,
  maxSequenceNr: sequenceNr,
});

/** Stores with the defects of real ones. */
const wrongStores: readonly [defect: string, wrong: (store: Snapshots) => Partial<SnapshotStoreUnderTest>][] =
  [
    [
      "takes the newest time for the latest",
      (store) => ({
        async load(id, criteria = {}): Promise<Snapshot | undefined> {
          const all = (await listed(store, id, criteria)).sort(
            (a, b) => b.timestamp - a.timestamp || a.sequenceNr - b.sequenceNr,
          );
          return all[0] && store.load(id, exactly(all[0]));
        },
      }),
    ],
    [
      "reads the highest number only, and filters by time then",
      (store) => ({
        async load(id, { maxTimestamp, minTimestamp, ...numbers } = {}): Promise<Snapshot | undefined> {
          const found = await store.load(id, numbers);
          if (found === undefined || found.timestamp > (maxTimestamp ?? Number.POSITIVE_INFINITY))
            return undefined;
          return found.timestamp < (minTimestamp ?? 0) ? undefined : found;
        },
      }),
    ],
    [
      "ignores lower bounds",
      (store) => ({
        load: (id, { maxSequenceNr, maxTimestamp } = {}) => store.load(id, { maxSequenceNr, maxTimestamp }),
      }),
    ],
    [
      "ignores upper times",
      (store) => ({ load: (id, { maxTimestamp: _, ...rest } = {}) => store.load(id, rest) }),
    ],
    [
      "treats Akka's None like any criteria",
      (store) => ({
        load: (id, criteria) =>
          store.load(id, criteria?.maxSequenceNr === 0 ? { maxSequenceNr: 0 } : criteria),
      }),
    ],
    [
      "deletes one only if the time is given and right",
      (store) => ({
        delete: (id, number, options) =>
          options?.timestamp ? store.delete(id, number, options) : Promise.resolve(),
      }),
    ],
    [
      "ignores the time of the one to delete",
      (store) => ({ delete: (id, number) => store.delete(id, number) }),
    ],
    [
      "deletes the first page only",
      (store) => ({
        async deleteMany(id, criteria = {}) {
          for (const { sequenceNr } of (await listed(store, id, criteria)).slice(0, 7))
            await store.delete(id, sequenceNr);
        },
      }),
    ],
    [
      "ignores times in deletions",
      (store) => ({ deleteMany: (id, { maxTimestamp: _, ...rest } = {}) => store.deleteMany(id, rest) }),
    ],
    [
      "keeps the first of a number",
      (store) => ({
        async save(id, number, state, options) {
          const [there] = await listed(store, id, { minSequenceNr: number, maxSequenceNr: number });
          return there ?? store.save(id, number, state, options);
        },
      }),
    ],
    [
      "cuts long ids",
      (store) => ({
        save: (id, ...rest) => store.save(id.slice(0, 255), ...rest),
        load: (id, ...rest) => store.load(id.slice(0, 255), ...rest),
      }),
    ],
    ["loses metadata", (store) => ({ save: (id, number, state) => store.save(id, number, state) })],
    [
      "rounds numbers",
      (store) => ({
        save: (id, number, state, options) =>
          store.save(id, Math.min(Math.fround(number), Number.MAX_SAFE_INTEGER), state, options),
      }),
    ],
  ];

describe("a snapshot store that", () => {
  let port: DynamoPort;
  beforeAll(async () => {
    port = await engineWithSnapshots(table);
  });
  afterAll(() => port.close());

  /** The first case that fails. */
  async function failureOf(
    change: (store: Snapshots) => Partial<SnapshotStoreUnderTest>,
  ): Promise<string | undefined> {
    const store = await openSnapshots(port, { table });
    const suite = snapshotSuite({ open: () => ({ ...store, ...change(store) }) });
    await suite.setup();
    let failed: string | undefined;
    for (const { name, run } of suite.cases) {
      await run().catch(() => {
        failed = name;
      });
      if (failed !== undefined) break;
    }
    await suite.teardown();
    return failed;
  }

  test.each(wrongStores)("%s is found out", async (_defect, wrong) => {
    expect(await failureOf(wrong)).toBeDefined();
  });
});
