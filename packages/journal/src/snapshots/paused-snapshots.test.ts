import type { DynamoPort } from "@tablekeep/core";
import { pauseAtEvery } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { expectNoGarbage, stateOf, textOf } from "../../test/snapshot-truth.ts";
import { census, noise, openSmall, table } from "../../test/snapshot-world.ts";
import type { Snapshot } from "./snapshots.ts";

const [first, second] = [noise(100_000), noise(120_000)];
const now = 1_800_000_000_000;
const clockAt = (ms: number) => ({
  now: () => ms,
  monotonic: () => performance.now(),
  after: () => () => {},
});
const clock = clockAt(now);
/** When the time of every save of `now` is over. */
const muchLater = clockAt(now + 100 * 3_600_000);

async function withFirst(): Promise<{ port: DynamoPort }> {
  const port = await engineWithSnapshots(table);
  const snapshots = await openSmall(port, { clock });
  await snapshots.save("id", 5, first);
  await snapshots.close();
  return { port };
}

const teardown = ({ port }: { port: DynamoPort }) => port.close();

describe("a reader that is paused at any request", () => {
  test("reads one whole snapshot while it is replaced and the old chunks go", async () => {
    const { pauses } = await pauseAtEvery({
      setup: withFirst,
      teardown,
      paused: async (port) => (await openSmall(port, { clock })).load("id"),
      async meanwhile(port) {
        const snapshots = await openSmall(port, { clock });
        await snapshots.save("id", 5, second);
        await snapshots.idle();
      },
      async check(_world, { paused }) {
        if (paused.status === "rejected") throw paused.reason;
        const found = paused.value as Snapshot;
        expect([textOf(first), textOf(second)]).toContain(textOf(found.state));
      },
    });
    expect(pauses.length).toBeGreaterThan(4);
  });

  test("reads the whole snapshot or none while it is deleted", async () => {
    await pauseAtEvery({
      setup: withFirst,
      teardown,
      paused: async (port) => (await openSmall(port, { clock })).load("id"),
      meanwhile: async (port) => (await openSmall(port, { clock })).delete("id", 5),
      async check(_world, { paused }) {
        if (paused.status === "rejected") throw paused.reason;
        const found = paused.value as Snapshot | undefined;
        expect([textOf(first), undefined]).toContain(found && textOf(found.state));
      },
    });
  });
});

describe("a save in chunks that is paused at any request", () => {
  test("is saved completely or not at all if a collector discards it meanwhile; nothing is left over", async () => {
    const ends = new Set<string>();
    await pauseAtEvery({
      setup: withFirst,
      teardown,
      paused: async (port) => (await openSmall(port, { clock })).save("id", 5, second),
      meanwhile: async (port) => (await openSmall(port, { clock: muchLater })).collectGarbage("id"),
      async check({ port }, { paused }) {
        const saved = paused.status === "fulfilled";
        ends.add(saved ? "saved" : (paused.reason as { code: string }).code);
        if (!saved)
          expect(paused.reason).toMatchObject({ code: "JOURNAL_SNAPSHOT_NOT_SAVED", ambiguous: false });
        expect(await stateOf(port, "id", 5)).toBe(textOf(saved ? second : first));
        await expectNoGarbage(port, "id", now);
        if (!saved) expect((await census(port)).chunks).toBe(25);
      },
    });
    expect([...ends].sort()).toEqual(["JOURNAL_SNAPSHOT_NOT_SAVED", "saved"]);
  });

  test("does not mix with another of the same sequence number, and the last one wins", async () => {
    await pauseAtEvery({
      setup: withFirst,
      teardown,
      paused: async (port) => (await openSmall(port, { clock })).save("id", 5, second),
      async meanwhile(port) {
        const snapshots = await openSmall(port, { clock });
        await snapshots.save("id", 5, noise(30_000), { metadata: "other" });
        await snapshots.idle();
      },
      async check({ port }, { paused, meanwhile }) {
        expect([paused.status, meanwhile.status]).toEqual(["fulfilled", "fulfilled"]);
        const found = await (await openSmall(port)).load("id");
        if (found?.metadata === undefined) expect(textOf(found?.state)).toBe(textOf(second));
        await expectNoGarbage(port, "id", now);
        expect(await census(port)).toMatchObject({ heads: 1, stages: 1 });
      },
    });
  });
});

describe("a deletion by criteria that is paused at any request", () => {
  test("leaves a snapshot alone that was saved meanwhile and is newer than the criteria", async () => {
    await pauseAtEvery({
      setup: withFirst,
      teardown,
      paused: async (port) => (await openSmall(port, { clock })).deleteMany("id", { maxTimestamp: now }),
      meanwhile: async (port) => (await openSmall(port, { clock: clockAt(now + 1) })).save("id", 5, "newer"),
      async check({ port }, { paused }) {
        if (paused.status === "rejected") throw paused.reason;
        expect(await stateOf(port, "id", 5)).toBe("newer");
      },
    });
  });
});
