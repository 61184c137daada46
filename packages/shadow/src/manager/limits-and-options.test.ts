import { wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { type DocumentObject, openShadowManager, openShadows, type ShadowManagerOptions } from "../index.ts";

let world: ShadowWorld;
beforeAll(async () => {
  world = await shadowWorld();
});
afterAll(() => world.engine.close());

const open = (options: ShadowManagerOptions = {}) =>
  openShadowManager(world.port, { table: world.table }, options);
const nested = (levels: number): DocumentObject => (levels === 1 ? { x: 1 } : { x: nested(levels - 1) });
const codeOf = async (work: Promise<{ kind: string; error?: { code: string } }>) =>
  (await work).error?.code ?? "ok";

describe("limits", () => {
  test("the size is that of the state after the merge, without metadata", async () => {
    const manager = open();
    const fill = (length: number) => ({ id: "size", state: { a: "x".repeat(length) } });
    // {"a":"…"} has 8 bytes beside the text, {"b":1} has 7.
    expect(await codeOf(manager.desire(fill(8192 - 8)))).toBe("ok");
    expect(await codeOf(manager.report({ id: "size", state: { b: 1 } }))).toBe("SHADOW_TOO_LARGE");
    expect(await codeOf(manager.desire(fill(8192 - 8 - 7)))).toBe("ok");
    expect(await codeOf(manager.report({ id: "size", state: { b: 1 } }))).toBe("ok");
    expect(await codeOf(manager.report({ id: "size", state: { b: 10 } }))).toBe("SHADOW_TOO_LARGE");
    expect(await codeOf(manager.report({ id: "size", state: { b: null } }))).toBe("ok");
  });

  test("the depth counts the half's own braces, and no empty objects or lists", async () => {
    const manager = open();
    expect(await codeOf(manager.desire({ id: "deep", state: nested(6) }))).toBe("ok");
    expect(await codeOf(manager.desire({ id: "deep", state: nested(7) }))).toBe("SHADOW_TOO_DEEP");
    const state = { a: { b: { c: { d: { e: { f: {}, g: [] } } } } } };
    expect(await codeOf(manager.desire({ id: "deep", state }))).toBe("ok");
  });

  test("can be raised up to DynamoDB's limits", async () => {
    const manager = open({ limits: { depth: 30, stateBytes: 500_000 } });
    expect(await codeOf(manager.desire({ id: "wide", state: nested(30) }))).toBe("ok");
    const large = { id: "wide", state: { a: "x".repeat(300_000) } };
    expect(await codeOf(manager.desire(large))).toBe("ok");
    expect(await codeOf(manager.report({ ...large, state: { b: "x".repeat(150_000) } }))).toBe(
      "SHADOW_TOO_LARGE",
    );
  });
});

test("a list with null, which AWS IoT rejects, is rejected by the policy aws only", async () => {
  const manager = open();
  const state = { scenes: [{ colors: ["red", null] }] };
  const outcome = await manager.desire({ id: "list", state });
  expect(outcome).toMatchObject({
    kind: "rejected",
    error: { code: "SHADOW_VALUE_INVALID", details: { path: "/desired/scenes/0/colors" } },
  });
  expect(await manager.get({ id: "list" })).toBeUndefined();
  expect(await manager.check({ id: "list", reported: { a: [null] } })).toMatchObject({
    code: "SHADOW_VALUE_INVALID",
  });
  const other = open({ policy: "acknowledge" });
  expect(await codeOf(other.report({ id: "go", state }))).toBe("ok");
  expect(await codeOf(manager.report({ id: "go", state: { on: true } }))).toBe("ok");
});

describe("options", () => {
  test.each([
    [{ policy: "mine" }],
    [{ polcy: "aws" }],
    [{ maxConflictRetries: -1 }],
    [{ acknowledgePlain: 1 }],
    [{ limits: { depth: 31 } }],
    [{ limits: { width: 1 } }],
    [{ limits: 5 }],
  ])("of a manager: %j is rejected", (options) => {
    expect(() => open(options as never)).toThrow(expect.objectContaining({ code: "SHADOW_OPTION_INVALID" }));
  });

  test.each([
    [{ table: "" }],
    [{ model: "both" }],
    [{ maxReadBatchSize: 0 }],
    [{ maxParallelism: 1.5 }],
    [{ versionMemoryMs: 0 }],
    [{ clock: {} }],
    [{ logger: { debug() {} } }],
    [{ retries: 3 }],
  ])("of a store: %j is rejected", (options) => {
    expect(() => openShadows(world.port, options as never)).toThrow(
      expect.objectContaining({ code: "SHADOW_OPTION_INVALID" }),
    );
  });

  test("rejects unknown options of a call and a request", async () => {
    const manager = open();
    const wrong = { id: "x", state: {}, vrsion: 1 } as never;
    expect(await codeOf(manager.desire(wrong))).toBe("SHADOW_OPTION_INVALID");
    expect(await codeOf(manager.desire({ id: "x", state: [] as never }))).toBe("SHADOW_OPTION_INVALID");
    expect(await codeOf(manager.update({ id: "x" }))).toBe("SHADOW_OPERATION_INVALID");
    expect(await codeOf(manager.delete({ id: "x", vrsion: 1 } as never))).toBe("SHADOW_OPERATION_INVALID");
    await expect(manager.get({ id: "x" }, { deadline: 1 } as never)).rejects.toMatchObject({
      kind: "invalid",
    });
    await expect(manager.list({ kind: "combined" })).rejects.toMatchObject({ kind: "invalid" });
  });

  test("an update that other writes keep interrupting ends as contention", async () => {
    const manager = open({ maxConflictRetries: 0 });
    const shadows = world.open();
    await shadows.write([{ id: "busy", reported: {}, desired: {} }]);
    const meddling = openShadowManager(
      {
        ...world.port,
        updateItem: async (input, options) => {
          await shadows.write([{ id: "busy", reported: {}, desired: {} }]);
          return world.port.updateItem(input, options);
        },
      },
      { table: world.table, random: () => 0 },
      { maxConflictRetries: 2 },
    );
    expect(await codeOf(meddling.report({ id: "busy", state: { n: 1 } }))).toBe("SHADOW_CONTENTION");
    expect(await codeOf(manager.report({ id: "busy", state: { n: 1 } }))).toBe("ok");
  });

  test("an update that other writes keep interrupting ends before its deadline", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "busy", reported: {}, desired: {} }]);
    const clock = fakeClock();
    const meddled = wrapPort(world.port, async (operation, input, options, next) => {
      if (operation === "UpdateItem") await shadows.write([{ id: "busy", reported: {}, desired: {} }]);
      return next(operation, input, options);
    });
    const port = faultyPort(meddled, "seed=1 faults=[]", { clock });
    const manager = openShadowManager(port, { table: world.table, clock, random: () => 0.999 });
    const update = () => codeOf(manager.report({ id: "busy", state: { n: 1 } }, { deadlineMs: 1_000 }));
    const code = await clock.autoAdvance(update, { busy: () => port.busy() });
    expect(code).toBe("SHADOW_CONTENTION");
    expect(clock.monotonic()).toBeLessThan(1_000);
  });
});
