import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, silentLogger, unwrap } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Fault, fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openShadowManager,
  ShadowError,
  type ShadowManager,
  type ShadowsOptions,
  shadowHistoryTableSpec,
  shadowTableSpec,
} from "../src/index.ts";

const table = "things";
let engine: DynamoPort;
let runs = 0;
let id = "";
let clock = fakeClock();
let manager: ShadowManager;
const kept = { table, history: {} } as const;
const open = (options: ShadowsOptions = kept, port = engine) =>
  openShadowManager(port, { clock, ...options });
const without = () => open({ table });

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec(table));
  await ensureTable(engine, shadowHistoryTableSpec(table));
});
afterAll(() => engine.close());
beforeEach(() => {
  id = `thing-${++runs}`;
  clock = fakeClock();
  manager = open();
});

/** The engine with another BatchWriteItem, which only removals of old versions use. */
function withBatchWrite(batchWriteItem: DynamoPort["batchWriteItem"]): DynamoPort {
  return new Proxy(engine, {
    get: (port, key) => (key === "batchWriteItem" ? batchWriteItem : Reflect.get(port, key, port)),
  });
}

/** Reports `n`, one second after the last write; returns the version. */
async function report(n: number, by = manager): Promise<number> {
  await clock.advance(1000);
  return unwrap(await by.report({ id, state: { n } })).current.version;
}
const now = () => new Date(clock.now());
const entries = async (by = manager) => (await by.history({ id })).entries;
const shown = async () => (await entries()).map(({ kind, version, gap }) => [kind, version, gap]);
/** What godeviceshadow does: an item without any attribute of ours. */
async function putOriginal(version: number, n: number): Promise<void> {
  await engine.putItem({
    TableName: table,
    Item: {
      PK: { S: `DS#${id}` },
      SK: { S: "DSC#" },
      Version: { N: String(version) },
      TimeStamp: { N: String(BigInt(clock.now()) * 1_000_000n) },
      ClientToken: { S: "" },
      Desired: { NULL: true },
      Reported: { M: { n: { N: String(n) } } },
    },
  });
}
const dropOriginal = () =>
  engine.deleteItem({ TableName: table, Key: { PK: { S: `DS#${id}` }, SK: { S: "DSC#" } } });

describe("a history", () => {
  test("returns every version by its number and by its time", async () => {
    await report(1);
    const first = now();
    await report(2);
    await report(3);
    expect((await manager.at({ id }, 1))?.state).toEqual({ reported: { n: 1 } });
    expect((await manager.at({ id }, 3))?.state).toEqual({ reported: { n: 3 } });
    expect(await manager.at({ id }, 4)).toBeUndefined();
    expect((await manager.at({ id }, first))?.version).toBe(1);
    expect((await manager.at({ id }, new Date(first.getTime() + 999)))?.version).toBe(1);
    expect((await manager.at({ id }, now()))?.version).toBe(3);
    expect(await manager.at({ id }, new Date(first.getTime() - 1))).toBeUndefined();
  });

  test("returns the changes of each version, the newest first, and those of one path", async () => {
    await report(1);
    unwrap(await manager.desire({ id, state: { level: 2 } }));
    await report(2);
    const all = await manager.history({ id });
    expect(all).toMatchObject({ gap: false });
    expect(all.entries.map(({ version, gap, changes }) => [version, gap, changes])).toEqual([
      [3, false, [{ half: "reported", path: "/n", kind: "updated", before: 1, after: 2 }]],
      [2, false, [{ half: "desired", path: "/level", kind: "added", before: undefined, after: 2 }]],
      [1, false, [{ half: "reported", path: "/n", kind: "added", before: undefined, after: 1 }]],
    ]);
    const ofPath = await manager.history({ id, path: "/reported/n" });
    expect(ofPath.entries.map(({ version }) => version)).toEqual([3, 1]);
    expect(await manager.diff({ id }, 1, 3)).toMatchObject([
      { half: "reported", path: "/n", before: 1, after: 2 },
      { half: "desired", path: "/level", after: 2 },
    ]);
  });

  test("is read in pages that end where the next one begins", async () => {
    for (let n = 1; n <= 7; n++) await report(n);
    const versions: number[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      const page = await manager.history({ id, limit: 3, token });
      versions.push(...page.entries.map(({ version }) => version));
      expect(page.entries.every(({ gap }) => !gap)).toBe(true);
      token = page.token;
      pages++;
    } while (token !== undefined);
    expect([versions, pages]).toEqual([[7, 6, 5, 4, 3, 2, 1], 3]);
  });

  test("has the deletion of a shadow, and continues its versions", async () => {
    await report(1);
    await clock.advance(1000);
    unwrap(await manager.delete({ id }));
    const gone = now();
    // Longer than the version of a deleted shadow is remembered.
    await clock.advance(72 * 3_600_000);
    expect(await report(2)).toBe(2);
    expect(await manager.at({ id }, gone)).toBeUndefined();
    expect((await manager.at({ id }, now()))?.version).toBe(2);
    expect(await shown()).toEqual([
      ["updated", 2, false],
      ["deleted", 1, false],
      ["updated", 1, false],
    ]);
  });

  test("keeps at least the given number of versions, and removes older ones", async () => {
    manager = open({ table, history: { keep: 4 } });
    for (let n = 1; n <= 32; n++) await report(n);
    await manager.shadows.settle();
    expect((await entries()).map(({ version }) => version)).toEqual([32, 31, 30, 29]);
    const before = new Date(clock.now() - 10_000);
    await expect(manager.at({ id }, before)).rejects.toMatchObject({
      code: "SHADOW_HISTORY_GAP",
      details: { after: undefined, before: 29 },
    });
  });

  test("answers a write before it removes old versions, one removal at a time", async () => {
    const held: (() => void)[] = [];
    const removals = { now: 0, most: 0 };
    const slow = withBatchWrite(async (...request) => {
      removals.most = Math.max(removals.most, ++removals.now);
      await new Promise<void>((resolve) => void held.push(resolve));
      removals.now--;
      return engine.batchWriteItem(...request);
    });
    manager = open({ table, history: { keep: 4 } }, slow);
    for (let n = 1; n <= 64; n++) unwrap(await manager.report({ id, state: { n } }));
    await expect.poll(() => held.length).toBe(1);
    expect(await entries()).toHaveLength(64);
    let isSettled = false;
    const settled = manager.shadows.settle().then(() => {
      isSettled = true;
    });
    while (!isSettled) {
      held.shift()?.();
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await settled;
    expect(removals).toEqual({ now: 0, most: 1 });
    expect((await entries()).map(({ version }) => version)).toEqual([64, 63, 62, 61]);
  });

  test("removes with a later version what a failed removal left, and logs the failure", async () => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (_text: string, fields?: object) => void warned.push(fields) };
    const failing = withBatchWrite(async () => {
      throw new ShadowError("SHADOW_OPTION_INVALID", "fails", { option: "", reason: "" });
    });
    manager = open({ table, history: { keep: 4 }, logger }, failing);
    for (let n = 1; n <= 144; n++) unwrap(await manager.report({ id, state: { n } }));
    await manager.shadows.settle();
    expect(warned[0]).toMatchObject({ id, error: { code: "SHADOW_OPTION_INVALID" } });
    expect((await entries()).length).toBeGreaterThan(4);
    manager = open({ table, history: { keep: 4 } });
    for (let n = 145; n <= 160; n++) unwrap(await manager.report({ id, state: { n } }));
    await manager.shadows.settle();
    expect((await entries()).map(({ version }) => version)).toEqual([160, 159, 158, 157]);
  });

  test("has no version that is older than the given age", async () => {
    manager = open({ table, history: { maxAgeMs: 10_000 } });
    for (let n = 1; n <= 3; n++) await report(n);
    await clock.advance(8_500);
    expect((await entries()).map(({ version }) => version)).toEqual([3, 2]);
    // The current version is read from the shadow itself.
    await clock.advance(60_000);
    expect(await manager.history({ id })).toEqual({ entries: [], gap: false });
    expect((await manager.at({ id }, 3))?.state).toEqual({ reported: { n: 3 } });
  });

  test("with an age has a gap where a writer without history was within that time", async () => {
    manager = open({ table, history: { maxAgeMs: 10_000 } });
    await report(1);
    await clock.advance(60_000);
    await report(2, without());
    expect(await manager.history({ id })).toEqual({ entries: [], gap: true });
  });

  test("is off by default, and rejects separate halves", async () => {
    await report(1, without());
    await expect(without().history({ id })).rejects.toMatchObject({ code: "SHADOW_HISTORY_OFF" });
    expect(() => open({ ...kept, model: "separate" })).toThrow(
      expect.objectContaining({ code: "SHADOW_OPTION_INVALID" }),
    );
    const [result] = await manager.shadows.write([{ id, model: "separate", reported: {}, desired: {} }]);
    expect(result?.outcome).toMatchObject({ kind: "rejected", error: { code: "SHADOW_OPERATION_INVALID" } });
  });
});

describe("writers without history", () => {
  test("leave a gap between two versions, in which no time has an answer", async () => {
    await report(1);
    await report(2, without());
    const hidden = now();
    await report(3);
    expect(await shown()).toEqual([
      ["updated", 3, true],
      ["updated", 1, false],
    ]);
    await expect(manager.at({ id }, hidden)).rejects.toMatchObject({
      code: "SHADOW_HISTORY_GAP",
      details: { after: 1, before: 3 },
    });
    for (const version of [2, 4])
      await expect(manager.diff({ id }, 1, version)).rejects.toMatchObject({
        code: "SHADOW_HISTORY_GAP",
        details: { version },
      });
  });

  test("leave a gap at the end, after which the current shadow is known", async () => {
    await report(1);
    await report(2, without());
    const between = new Date(clock.now() - 500);
    expect(await manager.history({ id })).toMatchObject({ gap: true, entries: [{ version: 1, gap: false }] });
    expect((await manager.at({ id }, now()))?.version).toBe(2);
    await expect(manager.at({ id }, between)).rejects.toMatchObject({ code: "SHADOW_HISTORY_GAP" });
  });

  test("that delete a shadow leave a gap", async () => {
    await report(1);
    await dropOriginal();
    await clock.advance(1000);
    await expect(manager.at({ id }, now())).rejects.toMatchObject({ code: "SHADOW_HISTORY_GAP" });
    expect(await report(2)).toBe(2);
    expect(await shown()).toEqual([
      ["updated", 2, true],
      ["updated", 1, false],
    ]);
  });

  test.each([1, 2, 3, 4, 9])(
    "that create a shadow again at version %i never mix its versions",
    async (version) => {
      for (let n = 1; n <= 3; n++) await report(n);
      await dropOriginal();
      await putOriginal(version, 50);
      const next = await report(51);
      expect(next).toBe(Math.max(version, 3) + 1);
      expect((await shown())[0]).toEqual(["updated", next, true]);
      expect(await report(52)).toBe(next + 1);
      expect((await shown())[0]).toEqual(["updated", next + 1, false]);
      for (let n = 1; n <= 3; n++) expect((await manager.at({ id }, n))?.state.reported).toEqual({ n });
      expect((await manager.at({ id }, next))?.state.reported).toEqual({ n: 51 });
    },
  );

  test("that create a shadow again do not hide its deletion", async () => {
    for (let n = 1; n <= 3; n++) await report(n);
    await dropOriginal();
    await putOriginal(2, 50);
    await clock.advance(1000);
    unwrap(await manager.delete({ id }));
    expect((await shown())[0]).toEqual(["deleted", 4, true]);
    expect(await manager.at({ id }, now())).toBeUndefined();
    expect(await report(60)).toBe(5);
  });
});

describe("failures", () => {
  const kinds = ["lost-after-apply", "error-after-apply", "lost-before-apply", "error-before-apply"] as const;

  /** Runs work with faults, in fake time. */
  async function underFaults<Result>(faults: readonly Fault[], work: (by: ShadowManager) => Promise<Result>) {
    const port = faultyPort(engine, { seed: 1, faults }, { clock });
    const by = openShadowManager(port, { ...kept, clock, random: () => 0.999 });
    const result = await clock.autoAdvance(() => work(by), { busy: () => port.busy() });
    await clock.autoAdvance(() => port.settled(), { busy: () => port.busy() });
    return result;
  }

  test.each(kinds)("%s: an update, a creation and a deletion have one entry each", async (kind) => {
    const faults: Fault[] = [{ kind, nth: 1, op: "TransactWriteItems" }];
    const created = await underFaults(faults, (by) => by.report({ id, state: { n: 1 } }));
    const updated = await underFaults(faults, (by) => by.report({ id, state: { n: 2 } }));
    const deleted = await underFaults(faults, (by) => by.delete({ id }));
    expect([created.kind, updated.kind, deleted.kind]).toEqual(["ok", "ok", "ok"]);
    expect(await shown()).toEqual([
      ["deleted", 2, false],
      ["updated", 2, false],
      ["updated", 1, false],
    ]);
  });

  test("a process that stops at any request leaves shadow and history at the same version", async () => {
    await report(1);
    for (let nth = 1; nth <= 6; nth++) {
      for (const kind of ["lost-before-apply", "lost-after-apply"] as const) {
        // Nothing after the fault is sent: all later requests are lost as well.
        const faults: Fault[] = Array.from({ length: 40 }, (_, at) => ({
          kind: at === 0 ? kind : ("lost-before-apply" as const),
          nth: nth + at,
        }));
        await underFaults(faults, (by) =>
          by.update({ id, reported: { n: nth, kind } }, { deadlineMs: 500 }),
        ).catch(() => undefined);
        const { gap, entries: all } = await manager.history({ id });
        const current = await manager.get({ id });
        expect([gap, all[0]?.version]).toEqual([false, current?.version]);
        expect((await manager.at({ id }, all[0]?.version ?? 0))?.state).toEqual(current?.state);
        expect(all.every((entry) => !entry.gap)).toBe(true);
      }
    }
  });

  test("two servers that write one shadow leave one entry for each version", async () => {
    const [one, other] = [open(), open()];
    await report(0, one);
    const work = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? one : other).report({ id, state: { n } }),
    );
    const outcomes = await clock.autoAdvance(() => Promise.all(work), { busy: () => false });
    const versions = outcomes.flatMap((each) => (each.kind === "ok" ? [each.value.current] : []));
    for (const { version, state } of versions)
      expect((await manager.at({ id }, version))?.state).toEqual(state);
    const all = await shown();
    expect(all).toHaveLength(versions.length + 1);
    expect(all.every(([, , gap]) => gap === false)).toBe(true);
  });
});
