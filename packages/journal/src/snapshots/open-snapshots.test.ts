import { metered } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { allItems, census, failureOf, noise, openSmall, table, unique } from "../../test/snapshot-world.ts";
import { openSnapshots } from "./open-snapshots.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";

let port: DynamoPort;
beforeAll(async () => {
  port = await engineWithSnapshots(table);
});
afterAll(() => port.close());

describe("options of snapshots", () => {
  const rejected: readonly [option: string, value: unknown][] = [
    ["tables", "x"],
    ["table", ""],
    ["journalName", "a-P-b"],
    ["journalName", "a-P"],
    ["deadlineMs", 0],
    ["codecs", {}],
    ["format", "event"],
    ["compression", true],
    ["chunking", "yes"],
    ["maxItemSize", 409_601],
    ["indexed", "ts-idx"],
    ["maxSnapshotBytes", 0],
    ["onUnreadable", "ignore"],
    ["keep", 0],
    ["garbageAfterMs", -1],
    ["logger", {}],
  ];
  test.each(rejected)("%s: %j is rejected", async (option, value) => {
    const options = { [option]: value } as SnapshotsOptions;
    const failure = await failureOf(openSnapshots(port, options));
    expect(failure).toMatchObject({ code: "JOURNAL_OPTION_INVALID", details: { option } });
  });

  test("of a call are checked too, before anything is sent", async () => {
    const { port: counted, meter } = metered(port);
    const snapshots = await openSmall(counted);
    const refused = [
      snapshots.save("", 1, "state"),
      snapshots.save("x".repeat(2_048), 1, "state"),
      snapshots.save("\ud800", 1, "state"),
      snapshots.save("id", 2 ** 53, "state"),
      snapshots.save("id", 1, "state", { meta: 1 } as never),
      snapshots.save("id", 1, "state", { serializerId: 1.5 }),
      snapshots.load("id", { maxSequenceNumber: 1 } as never),
      snapshots.load("id", { maxSequenceNr: -1 }),
      snapshots.load("id", {}, { onUnreadable: "ignore" as never }),
      snapshots.delete("id", -1),
      snapshots.delete("id", 1, { timestamp: Number.NaN }),
      snapshots.deleteMany("id", { minTimestamp: 1.5 }),
      snapshots.keepNewest("id", 0),
      snapshots.collectGarbage("id", { deadline: 1 } as never),
    ];
    for (const refusal of refused) expect((await failureOf(refusal)).code).toBe("JOURNAL_OPTION_INVALID");
    expect(meter.snapshot().total.requests).toBe(0);
  });
});

describe("criteria", () => {
  test("that nothing can match send no request", async () => {
    const { port: counted, meter } = metered(port);
    const snapshots = await openSmall(counted);
    const id = unique();
    expect(await snapshots.load(id, { maxSequenceNr: 0, maxTimestamp: 0 })).toBeUndefined();
    expect(await snapshots.load(id, { minSequenceNr: 2, maxSequenceNr: 1 })).toBeUndefined();
    await snapshots.deleteMany(id, { minTimestamp: 2, maxTimestamp: 1 });
    for await (const _ of snapshots.list(id, { maxSequenceNr: 0, maxTimestamp: 0 }))
      expect.fail("one is listed");
    expect(meter.snapshot().total.requests).toBe(0);
  });

  test("of any two upper bounds find exactly the highest number within both, also with times out of order", async () => {
    const clock = fakeClock({ startAt: 5_000 });
    const snapshots = await openSmall(port, { clock });
    const id = unique();
    // Numbers are saved out of order, so that time and number disagree, and some times are the same.
    const times = new Map<number, number>();
    for (const number of [3, 7, 1, 9, 2, 8, 5, 4, 6]) {
      if (number % 3 !== 0) await clock.advance(10);
      times.set(number, (await snapshots.save(id, number, `state ${number}`)).timestamp);
    }
    for (let maxSequenceNr = 0; maxSequenceNr <= 10; maxSequenceNr++) {
      for (let maxTimestamp = 4_990; maxTimestamp <= 5_080; maxTimestamp += 5) {
        const within = [...times].filter(([number, at]) => number <= maxSequenceNr && at <= maxTimestamp);
        const highest = within.length === 0 ? undefined : Math.max(...within.map(([number]) => number));
        const found = await snapshots.load(id, { maxSequenceNr, maxTimestamp });
        expect([maxSequenceNr, maxTimestamp, found?.sequenceNr]).toEqual([
          maxSequenceNr,
          maxTimestamp,
          highest,
        ]);
      }
    }
  });
});

describe("keeping the newest", () => {
  test("deletes older ones in the background after a save", async () => {
    const snapshots = await openSmall(port, { keep: 2 });
    const id = unique();
    for (let number = 1; number <= 5; number++)
      await snapshots.save(id, number, noise(number === 2 ? 20_000 : 10));
    await snapshots.idle();
    const left: number[] = [];
    for await (const { sequenceNr } of snapshots.list(id)) left.push(sequenceNr);
    expect(left).toEqual([4, 5]);
    await snapshots.close();
    expect(await snapshots.collectGarbage(id)).toEqual({ snapshots: 0, chunks: 0 });
  });

  test("is by sequence number, on request, and includes chunks", async () => {
    const clean = await engineWithSnapshots(table);
    const snapshots = await openSmall(clean);
    for (const number of [5, 1, 9, 3]) await snapshots.save("id", number, noise(20_000));
    await snapshots.idle();
    expect(await census(clean)).toMatchObject({ heads: 4, stages: 4 });
    await snapshots.keepNewest("id", 1);
    expect((await snapshots.load("id"))?.sequenceNr).toBe(9);
    expect(await census(clean)).toEqual({ heads: 1, stages: 1, chunks: 5 });
    await clean.close();
  });
});

describe("several journals in one table", () => {
  test("do not see each other's snapshots, whatever their names and ids", async () => {
    const names = ["a", "a-K", "a-K-b", "", "P", "-K-"];
    const ids = ["b-P-c", "P-c", "c", "-P-", "K-c"];
    const stores = await Promise.all(names.map((journalName) => openSmall(port, { journalName })));
    for (const [index, store] of stores.entries()) {
      for (const id of ids)
        await store.save(id, 1, noise(index % 2 === 0 ? 10_000 : 10), { metadata: [index, id] });
    }
    for (const [index, store] of stores.entries()) {
      for (const id of ids) expect((await store.load(id))?.metadata).toEqual([index, id]);
    }
  });

  test("cannot have names that would make one key mean two snapshots", async () => {
    const own = await openSmall(port, { journalName: "a" });
    await own.save("b-P-c", 1, "of a");
    await expect(openSmall(port, { journalName: "a-P-b" })).rejects.toMatchObject({
      code: "JOURNAL_OPTION_INVALID",
    });
    const taken = (await allItems(port)).filter((item) => item["par"]?.S === "a-P-b-P-c");
    expect(taken).toHaveLength(1);
  });
});
