import { fakeClock } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

describe("a combined shadow", () => {
  test("is created, read, updated and deleted; each step raises the version by one", async () => {
    const shadows = world.open();
    const lamp = { id: "lamp", reported: { on: false }, desired: { on: true } };
    const [created] = await shadows.write([{ ...lamp, version: 0, clientToken: "t" }]);
    expect(created?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 1, desired: 1 } } });
    const [updated] = await shadows.write([{ ...lamp, version: 1 }]);
    expect(updated?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 2, desired: 2 } } });
    const [any] = await shadows.write([lamp]);
    expect(any?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 3, desired: 3 } } });
    const [read] = await shadows.read([{ id: "lamp" }]);
    expect(read).toMatchObject({
      id: "lamp",
      name: "",
      outcome: {
        kind: "ok",
        value: {
          reported: { value: { on: false }, version: 3 },
          desired: { value: { on: true }, version: 3 },
        },
      },
    });
    const [gone] = await shadows.delete([{ id: "lamp", version: 3 }]);
    expect(gone?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 3, desired: 3 } } });
    const [absent] = await shadows.read([{ id: "lamp" }]);
    expect(absent?.outcome).toMatchObject({ kind: "rejected", error: { code: "SHADOW_NOT_FOUND" } });
  });

  test("that is created again continues after its old version, until that is no longer remembered", async () => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now, monotonic: () => now, after: () => () => {} };
    const shadows = world.open({ clock });
    const lamp = { id: "lamp", reported: { on: false }, desired: null };
    for (const version of [0, 1, 2]) await shadows.write([{ ...lamp, version }]);
    await shadows.delete([{ id: "lamp" }]);
    expect((await shadows.write([lamp]))[0]?.outcome).toMatchObject({ value: { versions: { reported: 4 } } });
    await shadows.delete([{ id: "lamp" }]);
    now += 49 * 3_600_000;
    expect((await shadows.write([{ ...lamp, version: 0 }]))[0]?.outcome).toMatchObject({
      value: { versions: { reported: 1 } },
    });
    expect((await world.items("lamp")).map(({ SK }) => SK?.S)).toEqual(["DSC#"]);
  });
});

describe("a separate shadow", () => {
  test("has a version for each half; both are written in one transaction", async () => {
    const shadows = world.open({ model: "separate" });
    const both = { id: "lamp", name: "x", reported: { on: false }, desired: { on: true } };
    expect((await shadows.write([{ ...both, version: 0 }]))[0]?.outcome).toMatchObject({ kind: "ok" });
    await shadows.write([{ id: "lamp", name: "x", reported: { on: true }, version: 1 }]);
    const [ok] = await shadows.write([{ ...both, version: { reported: 2, desired: 1 } }]);
    expect(ok?.outcome).toMatchObject({ value: { versions: { reported: 3, desired: 2 } } });
    const [stale] = await shadows.write([{ ...both, version: { reported: 3, desired: 1 } }]);
    expect(stale?.outcome).toMatchObject({
      kind: "conflict",
      error: { details: { conflicts: [{ kind: "desired", expected: 1, current: 2 }] } },
    });
    const [any] = await shadows.write([both]);
    expect(any?.outcome).toMatchObject({ value: { versions: { reported: 4, desired: 3 } } });
    const [read] = await shadows.read([{ id: "lamp", name: "x" }], { atomic: true });
    expect(read?.outcome).toMatchObject({ value: { reported: { version: 4 }, desired: { version: 3 } } });
    await shadows.delete([{ id: "lamp", name: "x" }]);
    expect((await shadows.write([{ id: "lamp", name: "x", desired: {} }]))[0]?.outcome).toMatchObject({
      value: { versions: { desired: 4 } },
    });
  });
});

test("a conflict names both halves, even if one is missing", async () => {
  const shadows = world.open({ model: "separate" });
  await shadows.write([{ id: "lamp", reported: {} }]);
  const both = { id: "lamp", reported: {}, desired: {} };
  const [result] = await shadows.write([{ ...both, version: { reported: 9, desired: 1 } }]);
  expect(result?.outcome).toMatchObject({
    kind: "conflict",
    error: {
      code: "SHADOW_VERSION_CONFLICT",
      details: {
        conflicts: [
          { kind: "reported", expected: 9, current: 1 },
          { kind: "desired", expected: 1, current: undefined },
        ],
      },
    },
  });
  const [gone] = await shadows.delete([{ id: "lamp", version: { reported: 1, desired: 1 } }]);
  expect(gone?.outcome).toMatchObject({ kind: "rejected", error: { code: "SHADOW_NOT_FOUND" } });
  expect((await shadows.read([{ id: "lamp" }]))[0]?.outcome).toMatchObject({
    value: { reported: { version: 1 } },
  });
});

test("written items have the original's attributes and ours", async () => {
  const clock = { now: () => 1_700_000_000_123, monotonic: () => 0, after: () => () => {} };
  const shadows = world.open({ clock });
  await shadows.write([{ id: "lamp", name: "n", reported: { a: 1, b: [true, null] }, desired: null }]);
  const [item] = await world.items("lamp");
  expect(item).toEqual({
    PK: { S: "DS#lamp" },
    SK: { S: "DSC#n" },
    Version: { N: "1" },
    TimeStamp: { N: "1700000000123000000" },
    ClientToken: { S: "" },
    Desired: { NULL: true },
    Reported: { M: { a: { N: "1" }, b: { L: [{ BOOL: true }, { NULL: true }] } } },
    WriteId: { S: expect.stringMatching(/^.{22}$/) },
  });
});

test.each(["combined", "separate"] as const)(
  "the version of a deleted shadow is remembered, %s",
  async (model) => {
    const clock = fakeClock();
    const shadows = world.open({ model, clock, versionMemoryMs: 60_000 });
    const both = { id: "remembered", reported: { n: 1 }, desired: null };
    expect(await shadows.deletedVersion({ id: "remembered" })).toBeUndefined();
    await shadows.write([both, both, both]);
    expect(await shadows.deletedVersion({ id: "remembered" })).toBeUndefined();
    await shadows.delete([{ id: "remembered" }]);
    expect(await shadows.deletedVersion({ id: "remembered" })).toBe(3);
    expect(await shadows.deletedVersion({ id: "remembered", name: "other" })).toBeUndefined();
    await clock.advance(60_001);
    expect(await shadows.deletedVersion({ id: "remembered" })).toBeUndefined();
  },
);
