import type { Outcome } from "@tablekeep/core";
import { exploreInterleavings, type Fault, fakeClock, faultyPort, stopAfterNth } from "@tablekeep/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openShadowManager, openShadows, type Shadows, type WrittenShadow } from "../src/index.ts";
import { type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
let id = "";
let runs = 0;
beforeAll(async () => {
  world = await shadowWorld();
});
beforeEach(() => {
  id = `thing-${++runs}`;
});
afterAll(() => world.engine.close());

/** Runs work on shadows with faults, in fake time: waits take no time, but deadlines pass. */
async function underFaults<Result>(faults: readonly Fault[], work: (shadows: Shadows) => Promise<Result>) {
  const clock = fakeClock();
  const port = faultyPort(world.engine, { seed: 1, faults }, { clock });
  const shadows = world.openOn(port, { clock, random: () => 0.999 });
  const result = await clock.autoAdvance(() => work(shadows), { busy: () => port.busy() });
  await clock.autoAdvance(() => port.settled(), { busy: () => port.busy() });
  return { result, port };
}

const both = { reported: { n: 1 }, desired: null };
const outcomeOf = async (results: Promise<readonly { outcome: Outcome<WrittenShadow> }[]>) => {
  const [first] = await results;
  if (first === undefined) throw new Error("no result");
  return first.outcome;
};
const versionNow = async () => {
  const [result] = await world.open().read([{ id }]);
  return result?.outcome.kind === "ok" ? result.outcome.value.reported?.version : undefined;
};
const create = () => world.open().write([{ id, ...both, version: 0 }]);

describe("a lost response", () => {
  const lost = ["lost-after-apply", "error-after-apply"] as const;
  const never = ["lost-before-apply", "error-before-apply"] as const;

  test.each([...lost, ...never])(
    "%s: a write from a known version is stored once, and reported as stored",
    async (kind) => {
      await create();
      const { result } = await underFaults([{ kind, nth: 1, op: "UpdateItem" }], (shadows) =>
        outcomeOf(shadows.write([{ id, ...both, version: 1 }])),
      );
      expect(result).toMatchObject({ kind: "ok", value: { versions: { reported: 2 } } });
      expect(await versionNow()).toBe(2);
    },
  );

  test.each(lost)("%s: a write of any version is found by its id, and never sent again", async (kind) => {
    await create();
    const { result, port } = await underFaults([{ kind, nth: 1, op: "UpdateItem" }], (shadows) =>
      outcomeOf(shadows.write([{ id, ...both }])),
    );
    expect(result).toMatchObject({ kind: "ok", value: { versions: { reported: 2 } } });
    expect(port.requestCount("UpdateItem")).toBe(1);
  });

  test.each(never)("%s: a write of any version that is not found is unknown, never failed", async (kind) => {
    await create();
    const { result, port } = await underFaults([{ kind, nth: 1, op: "UpdateItem" }], (shadows) =>
      outcomeOf(shadows.write([{ id, ...both }])),
    );
    expect(result).toMatchObject({
      kind: "unknown",
      error: { code: "SHADOW_OUTCOME_UNKNOWN", ambiguous: true },
    });
    expect(port.requestCount("UpdateItem")).toBe(1);
  });

  test.each([...lost, ...never])(
    "%s: a creation and a deletion happen once, and are reported as done",
    async (kind) => {
      const faults: Fault[] = [{ kind, nth: 1, op: "TransactWriteItems" }];
      const created = await underFaults(faults, (shadows) =>
        outcomeOf(shadows.write([{ id, ...both, version: 0 }])),
      );
      expect(created.result).toMatchObject({ kind: "ok", value: { versions: { reported: 1 } } });
      const deleted = await underFaults(faults, (shadows) => outcomeOf(shadows.delete([{ id, version: 1 }])));
      expect(deleted.result).toMatchObject({ kind: "ok", value: { versions: { reported: 1 } } });
      expect(await versionNow()).toBeUndefined();
    },
  );

  test("with another write on top is unknown; with another write in its place it is a conflict", async () => {
    await create();
    const overtaken = async (kind: "lost-after-apply" | "lost-before-apply", times: number) => {
      const clock = fakeClock();
      const port = faultyPort(
        world.engine,
        { seed: 1, faults: [{ kind, op: "UpdateItem", times: 9 }] },
        { clock },
      );
      const shadows = world.openOn(port, { clock, random: () => 0.999 });
      const from = (await versionNow()) ?? 0;
      const work = async () => {
        const writing = outcomeOf(shadows.write([{ id, ...both, version: from }]));
        while (port.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
        for (let n = 0; n < times; n++) await world.open().write([{ id, ...both }]);
        return writing;
      };
      return (await clock.autoAdvance(work, { busy: () => port.busy() })).kind;
    };
    expect(await overtaken("lost-after-apply", 1)).toBe("unknown");
    expect(await overtaken("lost-before-apply", 1)).toBe("conflict");
    expect(await overtaken("lost-before-apply", 2)).toBe("unknown");
  });

  test("until the end is reported as unknown within the deadline", async () => {
    await create();
    for (const version of [1, undefined]) {
      const { result } = await underFaults([{ kind: "hang" }], (shadows) =>
        outcomeOf(shadows.write([{ id, ...both, version }])),
      );
      expect(result.kind).toBe("unknown");
    }
  });
});

test("the manager reports an unknown outcome, and does not merge again", async () => {
  await create();
  const clock = fakeClock();
  const faults: Fault[] = [
    { kind: "hang-after-apply", op: "UpdateItem" },
    { kind: "hang", op: "GetItem", nth: [2, 99] },
  ];
  const port = faultyPort(world.engine, { seed: 1, faults }, { clock });
  const manager = openShadowManager(port, { table: world.table, clock });
  const outcome = await clock.autoAdvance(() => manager.report({ id, state: { n: 2 } }), {
    busy: () => port.busy(),
  });
  expect(outcome).toMatchObject({ kind: "unknown", error: { ambiguous: true } });
  expect(port.requestCount("UpdateItem")).toBe(1);
  expect(await versionNow()).toBe(2);
});

describe("a process that dies at any request", () => {
  test.each(["combined", "separate"] as const)("leaves no half written shadow, %s", async (model) => {
    const shadows = (port = world.engine) => openShadows(port, { table: world.table, model });
    const version = (n: number) => ({ reported: n, desired: n });
    const values = (n: number) => ({ reported: { n }, desired: { n } });
    const report = await stopAfterNth({
      setup: () => ({ port: world.engine, id: `thing-${++runs}` }),
      run: async (port, own) => {
        await shadows(port).write([{ id: own.id, ...values(1), version: version(0) }]);
        await shadows(port).write([{ id: own.id, ...values(2), version: version(1) }]);
        await shadows(port).write([{ id: own.id, ...values(3) }]);
        await shadows(port).delete([{ id: own.id }]);
        await shadows(port).write([{ id: own.id, ...values(4), version: version(0) }]);
      },
      check: async (own) => {
        const [result] = await shadows().read([{ id: own.id }], { atomic: true });
        if (result?.outcome.kind !== "ok") return;
        const { reported, desired } = result.outcome.value;
        // Versions are consecutive: the n-th write has version n.
        expect([reported?.value, desired?.value]).toEqual([
          { n: reported?.version },
          { n: desired?.version },
        ]);
        expect(reported?.version).toBe(desired?.version);
      },
    });
    expect(report.requests).toBeGreaterThanOrEqual(6);
  });
});

test("two managers in every order of their requests lose nothing", async () => {
  const report = (key: string) => (port: ShadowWorld["engine"], own: { id: string }) =>
    openShadowManager(port, { table: world.table }).report({ id: own.id, state: { [key]: 1 } });
  const { orders } = await exploreInterleavings({
    setup: () => ({ port: world.engine, id: `thing-${++runs}` }),
    actors: { a: report("a"), b: report("b") },
    check: async (own, { a, b }) => {
      for (const each of [a, b]) expect(each).toMatchObject({ status: "fulfilled", value: { kind: "ok" } });
      const view = await openShadowManager(world.engine, { table: world.table }).get({ id: own.id });
      expect(view).toMatchObject({ version: 2, state: { reported: { a: 1, b: 1 } } });
    },
  });
  expect(orders.length).toBeGreaterThan(5);
});
