import { readFileSync } from "node:fs";
import { batchWrite, ensureTable } from "@tablekeep/client";
import type { DynamoPort, Item } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCodecs } from "../src/codecs/create-codecs.ts";
import { decodeSnapshotRow } from "../src/rows/snapshot-row.ts";
import { openSnapshots } from "../src/snapshots/open-snapshots.ts";
import { type SnapshotCriteria, type Snapshots, snapshotTableSpec } from "../src/snapshots/snapshots.ts";
import { type AkkaFixture, fixtureItems, type ListedId, listedIds } from "./akka-fixtures.ts";
import { comparable } from "./comparable.ts";
import { engineWithSnapshots } from "./engine-port.ts";
import { expectPayload, fixtureCodecs } from "./expect-payload.ts";
import { allItems, table } from "./snapshot-world.ts";

const fixtures: readonly AkkaFixture[] = [
  "akka-1.1",
  "akka-1.1-akka-2.6",
  "akka-1.1-then-1.3",
  "akka-1.3",
  "akka-1.3-akka-2.6",
];

/** A load that the original was asked for, and the number that it found. "max" is the largest number of 64 bits. */
interface ListedCriteria {
  readonly minSequenceNr: number;
  readonly maxSequenceNr: string;
  readonly toSequenceNr: string;
  readonly minTimestamp: number;
  readonly maxTimestamp: string;
  readonly resultSeq: number | null;
}

const bound = (text: string) => (text === "max" ? Number.POSITIVE_INFINITY : Number(text));

function criteriaOf(listed: ListedCriteria): SnapshotCriteria {
  return {
    minSequenceNr: listed.minSequenceNr,
    maxSequenceNr: Math.min(bound(listed.maxSequenceNr), bound(listed.toSequenceNr)),
    minTimestamp: listed.minTimestamp,
    maxTimestamp: bound(listed.maxTimestamp),
  };
}

/**
 * A defect of the original: with an upper number and an upper time it reads one row only, that of the highest number,
 * and finds nothing if the time excludes it.
 */
function showsLimitBeforeFilter(listed: ListedCriteria): boolean {
  return listed.maxSequenceNr !== "max" && listed.maxTimestamp !== "max" && listed.resultSeq === null;
}

const codecs = createCodecs({ codecs: fixtureCodecs });
const persistenceIdOf = (item: Item) => item["par"]?.S?.slice("journal-P-".length) ?? "";

describe.each(fixtures)("the snapshots of %s", (fixture) => {
  const ids = listedIds(fixture) as Readonly<
    Record<string, ListedId & { readonly snapshotCriteria?: readonly ListedCriteria[] }>
  >;
  const items = fixtureItems(fixture, "snapshots");
  let port: DynamoPort;
  let snapshots: Snapshots;
  beforeAll(async () => {
    port = await engineWithSnapshots(table);
    await batchWrite(
      port,
      items.map((put) => ({ table, put })),
    );
    snapshots = await openSnapshots(port, { table, codecs });
  });
  afterAll(() => port.close());

  test("are listed and loaded as the original gave them", async () => {
    let compared = 0;
    for (const [id, { snapshots: listed = [] }] of Object.entries(ids)) {
      const found = [];
      for await (const { sequenceNr, timestamp } of snapshots.list(id)) found.push([sequenceNr, timestamp]);
      expect(found).toEqual(listed.map(({ seq, timestamp }) => [seq, timestamp]));
      for (const expected of listed) {
        const loaded = await snapshots.load(id, { maxSequenceNr: expected.seq });
        expect(loaded).toMatchObject({ sequenceNr: expected.seq, timestamp: expected.timestamp });
        const { serializerId = -1, serializerManifest: manifest = "", state } = loaded ?? {};
        const bytes = state as { bytes?: Uint8Array };
        const encoded = bytes.bytes ? (state as never) : { serializerId, manifest, bytes: new Uint8Array() };
        expectPayload(state, encoded, expected);
        compared++;
      }
    }
    expect(compared).toBe(items.length);
  });

  test("are found by the same criteria, but where the original's limit comes before its filter", async () => {
    const defects: string[] = [];
    let compared = 0;
    for (const [id, { snapshotCriteria = [], snapshots: all = [] }] of Object.entries(ids)) {
      for (const listed of snapshotCriteria) {
        const criteria = criteriaOf(listed);
        const found = (await snapshots.load(id, criteria))?.sequenceNr ?? null;
        const { minSequenceNr = 0, maxSequenceNr = 0, minTimestamp = 0, maxTimestamp = 0 } = criteria;
        const within = all
          .filter(
            ({ seq, timestamp }) =>
              seq >= minSequenceNr &&
              seq <= maxSequenceNr &&
              timestamp >= minTimestamp &&
              timestamp <= maxTimestamp,
          )
          .map(({ seq }) => seq);
        expect(found).toBe(within.length === 0 ? null : Math.max(...within));
        if (found !== listed.resultSeq && showsLimitBeforeFilter(listed)) defects.push(id);
        else expect(found).toBe(listed.resultSeq);
        compared++;
      }
    }
    expect(defects).toEqual(["p-1", "snap-types", "snap-over"]);
    expect(compared).toBeGreaterThan(50);
  });

  test("are the same when saved here, except for our attributes", async () => {
    const own = await engineWithSnapshots(table);
    let now = 0;
    const clock = { now: () => now, monotonic: () => performance.now(), after: () => () => {} };
    const stores = {
      pay: await openSnapshots(own, { table, clock, format: "pay" }),
      pay_data: await openSnapshots(own, { table, clock, format: "pay_data" }),
    };
    for (const item of items) {
      const key = { persistenceId: persistenceIdOf(item), sequenceNr: Number(item["seq"]?.N) };
      const row = decodeSnapshotRow(item, key);
      const store = stores["pay" in item ? "pay" : "pay_data"];
      now = row?.timestamp ?? 0;
      // As the writers of the fixtures did: once more before, and one that is deleted again.
      await store.save(key.persistenceId, key.sequenceNr, "first");
      await store.save(key.persistenceId, 100_000, "to be deleted");
      await store.save(key.persistenceId, key.sequenceNr, row?.payload);
      await store.delete(key.persistenceId, 100_000);
    }
    const dump = (await allItems(own)).map(({ wid: _, sum: __, ...theirs }) => theirs);
    expect(comparable(sorted(dump))).toEqual(comparable(sorted(items)));
    await own.close();
  });

  test("are stored in a table with the documented schema", async () => {
    const text = readFileSync(new URL(`fixtures/${fixture}/snapshots.json`, import.meta.url), "utf8");
    const { TableDescription: description } = JSON.parse(text) as {
      TableDescription: Record<string, unknown>;
    };
    await ensureTable(port, snapshotTableSpec("fresh"));
    const { Table } = await port.describeTable({ TableName: "fresh" });
    expect(Table?.KeySchema).toEqual(description["KeySchema"]);
    const byName = (list: unknown) =>
      (list as { AttributeName: string }[]).toSorted((a, b) => (a.AttributeName < b.AttributeName ? -1 : 1));
    expect(byName(Table?.AttributeDefinitions)).toEqual(byName(description["AttributeDefinitions"]));
    expect(Table?.LocalSecondaryIndexes).toMatchObject(description["LocalSecondaryIndexes"] as object[]);
    await port.deleteTable({ TableName: "fresh" });
  });
});

function sorted(items: readonly Item[]): Item[] {
  const place = (item: Item) => `${item["par"]?.S} ${item["seq"]?.N?.padStart(20, "0")}`;
  return items.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}
