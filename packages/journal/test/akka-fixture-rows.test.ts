import type { Item } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { createCodecs } from "../src/codecs/create-codecs.ts";
import type { EventRow } from "../src/rows/event-row.ts";
import type { RowKey } from "../src/rows/row-attributes.ts";
import { decodeRow, encodeRow, type RowFormat } from "../src/rows/row-format.ts";
import { decodeSnapshotRow, encodeSnapshotRow } from "../src/rows/snapshot-row.ts";
import {
  type AkkaFixture,
  akkaFixtures,
  fixtureItems,
  type ListedEvent,
  listedIds,
} from "./akka-fixtures.ts";
import { comparable } from "./comparable.ts";
import { expectPayload, fixtureCodecs } from "./expect-payload.ts";

const codecs = createCodecs({ codecs: fixtureCodecs });
const keyNames = new Set(["par", "num", "key"]);

/** Whose row an item of a fixture is, if it is one; marks are not. */
function rowKeyOf(item: Item): RowKey | undefined {
  const bucketed = /^journal-P-(.*)-(\d+)$/s.exec(item["par"]?.S ?? "");
  if (bucketed?.[1] !== undefined)
    return { persistenceId: bucketed[1], sequenceNr: Number(bucketed[2]) * 100 + Number(item["num"]?.N) };
  const scattered = /^journal-P-(.*)-(\d+)$/s.exec(item["key"]?.S ?? "");
  if (scattered?.[1] === undefined) return undefined;
  return { persistenceId: scattered[1], sequenceNr: Number(scattered[2]) };
}

const withoutKey = (item: Item) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !keyNames.has(name)));

const formatOf = (item: Item): RowFormat => {
  if ("event" in item) return "event";
  return "pay" in item ? "pay" : "message";
};

function rowsOf(fixture: AkkaFixture): { item: Item; key: RowKey; row: EventRow }[] {
  return fixtureItems(fixture, "journal").flatMap((item) => {
    const key = rowKeyOf(item);
    const row = key === undefined ? undefined : decodeRow(item, key);
    if (key === undefined || row === undefined) return [];
    if (row.kind !== "event") throw new Error("the original writes no tombstones");
    return [{ item, key, row }];
  });
}

const counts: Record<AkkaFixture, { rows: number; snapshots: number }> = {
  "akka-0.3": { rows: 415, snapshots: 0 },
  "akka-1.1": { rows: 637, snapshots: 17 },
  "akka-1.1-akka-2.6": { rows: 637, snapshots: 17 },
  "akka-1.1-then-1.3": { rows: 645, snapshots: 18 },
  "akka-1.3": { rows: 637, snapshots: 17 },
  "akka-1.3-akka-2.6": { rows: 637, snapshots: 17 },
  "akka-1.3-faults": { rows: 346, snapshots: 0 },
};

describe.each(akkaFixtures)("the journal rows of %s", (fixture) => {
  const rows = rowsOf(fixture);

  test("are all read", () => {
    expect(rows).toHaveLength(counts[fixture].rows);
    const heads = rows.map(({ row }) => ({ persistenceId: row.persistenceId, sequenceNr: row.sequenceNr }));
    expect(heads).toEqual(rows.map(({ key }) => key));
    const ours = ({ row }: { row: EventRow }) =>
      row.tags.length > 0 || row.staged || row.writeId !== undefined || row.timestamp !== undefined;
    expect(rows.filter(ours)).toEqual([]);
  });

  test("hold what the original delivered, payload by payload", () => {
    const byPlace = new Map(rows.map((each) => [`${each.row.persistenceId} ${each.row.sequenceNr}`, each]));
    let compared = 0;
    for (const [id, { events, eventsReplayDeleted }] of Object.entries(listedIds(fixture))) {
      for (const listed of eventsReplayDeleted ?? events ?? []) {
        const found = byPlace.get(`${id} ${listed.seq}`);
        if (found === undefined) expect.fail(`event ${listed.seq} of ${id} is not in the table`);
        expectEvent(found.row, listed);
        if (listed.storedIn !== undefined) expect(formatOf(found.item)).toBe(listed.storedIn);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(200);
  });

  test("are written again to the byte", () => {
    const written = rows.map(({ item, row }) => encodeRow(row, formatOf(item)));
    expect(comparable(written)).toEqual(comparable(rows.map(({ item }) => withoutKey(item))));
  });

  test("say the same in the other format", () => {
    const either = rows.filter(({ item }) => formatOf(item) !== "message");
    const read = either.map(({ item, key, row }) =>
      decodeRow(encodeRow(row, formatOf(item) === "event" ? "pay" : "event"), key),
    );
    expect(comparable(read)).toEqual(comparable(either.map(({ row }) => row)));
  });
});

function expectEvent(row: EventRow, listed: ListedEvent): void {
  expectPayload(codecs.decode(row.payload), row.payload, listed, row.manifest);
  expect(row.manifest).toBe(listed.manifest ?? "");
  expect(row.writerUuid).toBe(listed.writerUuid ?? "");
  expect(row.deleted ?? false).toBe(listed.deleted ?? false);
  expect(row.confirmations ?? []).toEqual(listed.confirms ?? []);
  expect(row.sender).toBe(listed.sender);
}

test("the stub that a soft deletion by the plugin 0.3 leaves is not a row", () => {
  const stub = fixtureItems("akka-0.3", "journal").find((item) => item["key"]?.S === "journal-P-p-5-0");
  if (stub === undefined) expect.fail("there is no stub");
  expect(decodeRow(stub, { persistenceId: "p-5", sequenceNr: 0 })).toBeUndefined();
});

describe.each(akkaFixtures.filter((fixture) => counts[fixture].snapshots > 0))(
  "the snapshots of %s",
  (fixture) => {
    const snapshots = fixtureItems(fixture, "snapshots").map((item) => {
      const persistenceId = /^journal-P-(.*)$/s.exec(item["par"]?.S ?? "")?.[1] ?? "";
      const row = decodeSnapshotRow(item, { persistenceId, sequenceNr: Number(item["seq"]?.N) });
      if (row === undefined) expect.fail("an item without a snapshot");
      return { item, row };
    });

    test("hold what the original delivered", () => {
      expect(snapshots).toHaveLength(counts[fixture].snapshots);
      const listed = listedIds(fixture);
      for (const { row } of snapshots) {
        const expected = listed[row.persistenceId]?.snapshots?.find(({ seq }) => seq === row.sequenceNr);
        if (expected === undefined)
          expect.fail(`snapshot ${row.sequenceNr} of ${row.persistenceId} is not listed`);
        expect(row.timestamp).toBe(expected.timestamp);
        expectPayload(codecs.decode(row.payload), row.payload, expected);
      }
    });

    test("are written again to the byte", () => {
      const written = snapshots.map(({ item, row }) =>
        encodeSnapshotRow(row, "pay" in item ? "pay" : "pay_data"),
      );
      const originals = snapshots.map(({ item: { par: _, seq: __, ...attributes } }) => attributes);
      expect(comparable(written)).toEqual(comparable(originals));
    });
  },
);
