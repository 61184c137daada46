import { DynamoError, type DynamoPort, unwrap, wrapPort } from "@tablekeep/core";
import { type FakeClock, fakeClock, pauseAtEvery, seededRandom, stopAfterNth } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import {
  type DocumentObject,
  openRollouts,
  openShadowManager,
  type RolloutRequest,
  type ShadowManager,
  type ShadowRollouts,
} from "../src/index.ts";
import { shadowWorld } from "./shadow-world.ts";

const four = ["a", "b", "c", "d"];
const minute = 60_000;
const basic: RolloutRequest = {
  name: "v2",
  query: 'reported.kind = "lamp"',
  desired: { firmware: "2.1", mode: { eco: true } },
  gate: { withinMs: minute },
};

interface World {
  readonly things: readonly string[];
  readonly port: DynamoPort;
  readonly table: string;
  readonly clock: FakeClock;
  readonly manager: ShadowManager;
  readonly rollouts: ShadowRollouts;
  open(port: DynamoPort): ShadowRollouts;
}

/** Lamps: each has reported its kind (version 1) and desires another firmware of its own (version 2). */
async function world(things = four): Promise<World> {
  const { engine: port, table } = await shadowWorld();
  const clock = fakeClock({ startAt: 1_000_000 });
  const open = (on: DynamoPort) =>
    openRollouts(on, openShadowManager(on, { table, clock }), { table, clock });
  const manager = openShadowManager(port, { table, clock });
  for (const id of things) {
    unwrap(await manager.report({ id, state: { kind: "lamp" } }));
    unwrap(await manager.desire({ id, state: { firmware: `1.${id}`, mode: { dim: 3 } } }));
  }
  return { things, port, table, clock, manager, open, rollouts: open(port) };
}

const before = (id: string) => ({ firmware: `1.${id}`, mode: { dim: 3 } });
const after = { firmware: "2.1", mode: { dim: 3, eco: true } };

async function desiredOf({ manager, things }: World): Promise<Record<string, DocumentObject | undefined>> {
  const found: Record<string, DocumentObject | undefined> = {};
  for (const id of things) found[id] = (await manager.get({ id }))?.state.desired;
  return found;
}

const all = (value: (id: string) => unknown, things: readonly string[] = four) =>
  Object.fromEntries(things.map((id) => [id, value(id)]));
/** Two are enough where every request is tried. */
const two = ["a", "b"];
const worldOfTwo = () => world(two);
const report = async ({ manager }: Pick<World, "manager">, id: string) =>
  unwrap(await manager.report({ id, state: { firmware: "2.1", mode: { eco: true } } }));
const statuses = async (rollouts: ShadowRollouts) =>
  Object.fromEntries((await rollouts.things("v2")).things.map(({ thing, status }) => [thing, status]));

test("waves follow each other once what is reported passes the gate", async () => {
  const made = await world();
  const { rollouts } = made;
  await rollouts.create({ ...basic, waves: [1, "50%"] });
  expect(await rollouts.advance("v2")).toBe(true);
  expect(await rollouts.get("v2")).toMatchObject({ phase: "running", wave: 1, waves: [1, 2, 1] });
  expect(await desiredOf(made)).toEqual({ ...all(before), a: after });
  expect(await rollouts.advance("v2")).toBe(true);
  await report(made, "a");
  await rollouts.advance("v2");
  expect(await statuses(rollouts)).toEqual({ a: "succeeded", b: "applied", c: "applied", d: "waiting" });
  await report(made, "b");
  await rollouts.advance("v2");
  expect((await rollouts.get("v2"))?.wave).toBe(2);
  await report(made, "c");
  await rollouts.advance("v2");
  expect(await desiredOf(made)).toEqual(all(() => after));
  await report(made, "d");
  expect(await rollouts.advance("v2")).toBe(false);
  expect(await rollouts.get("v2")).toMatchObject({ phase: "succeeded", wave: 3 });
  expect(await statuses(rollouts)).toEqual(all(() => "succeeded"));
});

test("a failed wave pauses; resume restarts its time limit, and accept continues anyway", async () => {
  const made = await world();
  const { rollouts, clock } = made;
  await rollouts.create({ ...basic, waves: [2], gate: { withinMs: minute, succeeded: 0.5 } });
  await rollouts.advance("v2");
  await clock.advance(minute - 1);
  expect(await rollouts.advance("v2")).toBe(true);
  await clock.advance(1);
  expect(await rollouts.advance("v2")).toBe(false);
  expect(await rollouts.get("v2")).toMatchObject({
    phase: "paused",
    reason: expect.stringContaining("wave 1"),
  });
  expect((await rollouts.things("v2")).things[0]).toMatchObject({
    status: "failed",
    reason: "not reported in time",
  });
  expect(await rollouts.advance("v2")).toBe(false);
  await rollouts.resume("v2");
  expect(await rollouts.advance("v2")).toBe(true);
  // One of two is enough.
  await report(made, "b");
  await rollouts.advance("v2");
  expect(await rollouts.get("v2")).toMatchObject({ phase: "running", wave: 2 });
  await clock.advance(minute);
  await rollouts.advance("v2");
  expect(await rollouts.get("v2")).toMatchObject({ phase: "paused" });
  await rollouts.resume("v2", { accept: true });
  expect(await rollouts.advance("v2")).toBe(false);
  expect(await rollouts.get("v2")).toMatchObject({ phase: "succeeded" });
});

test("a failed wave is rolled back if the gate requires it", async () => {
  const made = await world();
  const { rollouts, clock } = made;
  await rollouts.create({ ...basic, waves: [2], gate: { withinMs: minute, onFailure: "roll-back" } });
  await rollouts.advance("v2");
  await report(made, "a");
  await clock.advance(minute);
  expect(await rollouts.advance("v2")).toBe(false);
  expect(await rollouts.get("v2")).toMatchObject({ phase: "rolled-back" });
  expect(await desiredOf(made)).toEqual(all(before));
});

test("a rollback restores what each thing had, and leaves alone what others changed or deleted", async () => {
  const made = await world();
  const { rollouts, manager } = made;
  await rollouts.create(basic);
  await rollouts.advance("v2");
  unwrap(await manager.desire({ id: "b", state: { firmware: "3.0" } }));
  unwrap(await manager.desire({ id: "c", state: { mode: { night: true }, color: "red" } }));
  unwrap(await manager.delete({ id: "d" }));
  await rollouts.rollBack("v2");
  expect(await rollouts.advance("v2")).toBe(false);
  expect(await desiredOf(made)).toEqual({
    a: before("a"),
    b: { firmware: "3.0", mode: { dim: 3, eco: true } },
    c: { firmware: "1.c", mode: { dim: 3, night: true }, color: "red" },
    d: undefined,
  });
  expect(await statuses(rollouts)).toEqual({ a: "restored", b: "kept", c: "restored", d: "kept" });
});

test("things that are deleted or changed by others fail the gate", async () => {
  const made = await world();
  const { rollouts, manager } = made;
  await rollouts.create({ ...basic, gate: { succeeded: 0.5 } });
  await rollouts.advance("v2");
  unwrap(await manager.delete({ id: "a" }));
  unwrap(await manager.desire({ id: "b", state: { firmware: "3.0" } }));
  expect(await rollouts.advance("v2")).toBe(true);
  unwrap(await manager.desire({ id: "c", state: { mode: { eco: null } } }));
  expect(await rollouts.advance("v2")).toBe(false);
  const reasons = (await rollouts.things("v2")).things.map(({ reason }) => reason);
  expect(reasons).toEqual(["deleted", "changed by others", "changed by others", undefined]);
});

test("requests in the wrong phase, of unknown rollouts, and invalid ones are rejected", async () => {
  const { rollouts, port, table } = await world();
  const code = (code: string) => ({ code });
  await rollouts.create(basic);
  await expect(rollouts.create({ ...basic, query: "connected" })).rejects.toMatchObject(
    code("SHADOW_ROLLOUT_EXISTS"),
  );
  await expect(rollouts.resume("v2")).rejects.toMatchObject(code("SHADOW_ROLLOUT_PHASE"));
  await expect(rollouts.pause("none")).rejects.toMatchObject(code("SHADOW_ROLLOUT_NOT_FOUND"));
  await rollouts.cancel("v2");
  expect(await rollouts.cancel("v2")).toMatchObject({ phase: "cancelled" });
  await expect(rollouts.pause("v2")).rejects.toMatchObject(code("SHADOW_ROLLOUT_PHASE"));
  expect(await rollouts.advance("v2")).toBe(false);
  const invalid: object[] = [
    { name: "a b" },
    { query: "reported." },
    { desired: {} },
    { desired: null },
    { waves: [0] },
    { waves: ["0%"] },
    { waves: ["101%"] },
    { waves: [1.5] },
    { gate: { succeeded: 2 } },
    { gate: { onFailure: "stop" } },
    { wave: [1] },
  ];
  for (const wrong of invalid)
    await expect(rollouts.create({ ...basic, name: "x", ...wrong })).rejects.toMatchObject({
      kind: "invalid",
    });
  const manager = openShadowManager(port, { table }, { policy: "acknowledge" });
  await expect(openRollouts(port, manager, { table }).create({ ...basic, name: "x" })).rejects.toMatchObject(
    code("SHADOW_OPTION_INVALID"),
  );
  await rollouts.create({ ...basic, name: "gone", query: 'group = "none"' });
  expect(await rollouts.advance("gone")).toBe(false);
  expect(await rollouts.get("gone")).toMatchObject({
    phase: "cancelled",
    reason: expect.stringContaining("none"),
  });
  expect((await rollouts.list()).map(({ name, phase }) => `${name} ${phase}`)).toEqual([
    "gone cancelled",
    "v2 cancelled",
  ]);
});

/** Runs a rollout to its end: every device reports what is desired. */
async function finish(made: World, rollouts: ShadowRollouts): Promise<void> {
  if ((await rollouts.get("v2")) === undefined) await rollouts.create({ ...basic, waves: [1] });
  for (let round = 0; round < 20 && (await rollouts.advance("v2")); round++) {
    for (const id of made.things) {
      const { state } = (await made.manager.get({ id })) ?? {};
      if (state?.desired?.["firmware"] === "2.1" && state.reported?.["firmware"] !== "2.1")
        await report(made, id);
    }
  }
}

async function expectEachOnce({ manager, rollouts, things }: World): Promise<void> {
  expect(await rollouts.get("v2")).toMatchObject({ phase: "succeeded" });
  // Reported, desired, rolled out, reported: each once.
  for (const id of things)
    expect(await manager.get({ id })).toMatchObject({ version: 4, state: { desired: after } });
}

test("after a crash at any request, another runner continues: every thing is updated exactly once", async () => {
  const run = await stopAfterNth({
    setup: worldOfTwo,
    run: (port, made) => finish(made, made.open(port)),
    async check(made) {
      await made.clock.advance(31_000);
      await finish(made, made.rollouts);
      await expectEachOnce(made);
      await made.rollouts.rollBack("v2");
      await made.rollouts.advance("v2");
      expect(await desiredOf(made)).toEqual(all(before, two));
      // Nothing of an attempt that crashed is left.
      const { Items = [] } = await made.port.scan({ TableName: made.table });
      expect(Items.filter((item) => item["PK"]?.S?.startsWith("FR#"))).toHaveLength(two.length);
    },
  });
  expect(run.requests).toBeGreaterThan(25);
});

test("after a crash at any request of a rollback, another runner restores every thing", async () => {
  await stopAfterNth({
    async setup() {
      const made = await worldOfTwo();
      await made.rollouts.create(basic);
      await made.rollouts.advance("v2");
      return made;
    },
    async run(port, { open }) {
      const rollouts = open(port);
      await rollouts.rollBack("v2");
      await rollouts.advance("v2");
    },
    async check(made) {
      await made.clock.advance(31_000);
      await made.rollouts.rollBack("v2").catch(() => {});
      await made.rollouts.advance("v2");
      expect(await made.rollouts.get("v2")).toMatchObject({ phase: "rolled-back" });
      expect(await desiredOf(made)).toEqual(all(before, two));
      expect(await statuses(made.rollouts)).toEqual(all(() => "restored", two));
    },
  });
});

test("a runner that is paused at any request while another takes over changes nothing twice", async () => {
  await pauseAtEvery({
    setup: worldOfTwo,
    async paused(port, { open }) {
      const rollouts = open(port);
      await rollouts.create({ ...basic, waves: [2], gate: {} });
      await rollouts.advance("v2");
    },
    async meanwhile(port, made) {
      await made.clock.advance(31_000);
      if ((await made.rollouts.get("v2")) !== undefined) await made.open(port).advance("v2");
    },
    async check(made) {
      await made.clock.advance(31_000);
      await finish(made, made.rollouts);
      await expectEachOnce(made);
    },
  });
});

test("a runner that is paused at any request changes nothing after a rollback", async () => {
  await pauseAtEvery({
    async setup() {
      const made = await worldOfTwo();
      await made.rollouts.create(basic);
      return made;
    },
    paused: (port, { open }) => open(port).advance("v2"),
    async meanwhile(_port, { rollouts, clock }) {
      await clock.advance(31_000);
      if ((await rollouts.get("v2"))?.phase === "preparing") await rollouts.cancel("v2");
      else await rollouts.rollBack("v2");
      while (await rollouts.advance("v2"));
    },
    async check(made) {
      expect(["rolled-back", "cancelled"]).toContain((await made.rollouts.get("v2"))?.phase);
      expect(await desiredOf(made)).toEqual(all(before, two));
    },
  });
});

test("a thing that others write at any moment keeps their values, and has its latest ones back after a rollback", async () => {
  const theirs = { mode: { dim: 9 }, color: "red" };
  await pauseAtEvery({
    async setup() {
      const made = await worldOfTwo();
      await made.rollouts.create(basic);
      return made;
    },
    paused: (port, { open }) => open(port).advance("v2"),
    async meanwhile(_port, { manager }) {
      unwrap(await manager.desire({ id: "b", state: theirs }));
    },
    async check(made) {
      const ours = { firmware: "2.1", mode: { dim: 9, eco: true }, color: "red" };
      expect(await desiredOf(made)).toEqual({ ...all(() => after, two), b: ours });
      await made.rollouts.rollBack("v2");
      await made.rollouts.advance("v2");
      expect(await desiredOf(made)).toEqual({ ...all(before, two), b: { firmware: "1.b", ...theirs } });
    },
  });
});

test("lost answers neither repeat nor lose an update", async () => {
  for (const seed of ["one", "two", "three"]) {
    const made = await worldOfTwo();
    const random = seededRandom(seed);
    const lossy = wrapPort(made.port, async (operation, input, options, next) => {
      const output = await next(operation, input, options);
      if (/Put|Update|TransactWrite/.test(operation) && random.chance(0.2))
        throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", ambiguous: true });
      return output;
    });
    const rollouts = made.open(lossy);
    for (let round = 0; round < 100; round++) {
      const work = finish(made, rollouts).then(
        () => true,
        () => false,
      );
      let isOver = false;
      void work.then(() => (isOver = true));
      while (!isOver) await made.clock.advance(1_000);
      if ((await made.rollouts.get("v2"))?.phase === "succeeded") break;
      if ((await made.rollouts.get("v2"))?.phase === "paused") await made.rollouts.resume("v2");
    }
    await expectEachOnce(made);
  }
});
