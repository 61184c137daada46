import type { Outcome } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openShadowManager } from "../src/index.ts";
import { originalItem, type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

const last = "9007199254740991";
const both = { reported: { a: 1 }, desired: null };
const codes = (results: readonly { outcome: Outcome<unknown> }[]) =>
  results.map(({ outcome }) => (outcome.kind === "ok" ? "ok" : `${outcome.kind} ${outcome.error.code}`));
const unsafe = "rejected SHADOW_VERSION_UNSAFE";

/** Puts an item as another might have written it. */
const put = (version: string, sort = "DSC#") =>
  world.put({ ...originalItem("x", sort, 1, {}), Version: { N: version } });
const versionsStored = async () => (await world.items("x")).map(({ Version }) => Version?.N);

describe("a shadow of the last version", () => {
  test("is rejected after one request, and not written", async () => {
    await put(last);
    const before = await world.items("x");
    world.meter.reset();
    expect(codes(await world.open().write([{ id: "x", ...both }]))).toEqual([unsafe]);
    expect(world.meter.reset().total.requests).toBe(1);
    expect(codes(await world.open().write([{ id: "x", ...both, version: Number(last) }]))).toEqual([unsafe]);
    expect(world.meter.reset().total.requests).toBe(0);
    expect(await world.items("x")).toEqual(before);
  });

  test("is not written where its halves are stored apart, nor is the other half", async () => {
    await put(last, "DSR#");
    await put("1", "DSD#");
    const before = await world.items("x");
    const shadows = world.open({ model: "separate" });
    const version = { reported: Number(last), desired: 1 };
    expect(codes(await shadows.write([{ id: "x", ...both }]))).toEqual([unsafe]);
    expect(codes(await shadows.write([{ id: "x", ...both, version }]))).toEqual([unsafe]);
    expect(await world.items("x")).toEqual(before);
  });

  test("is reached by a write, and not left by the manager", async () => {
    await put("9007199254740990");
    const manager = openShadowManager(world.port, { table: world.table });
    expect((await manager.report({ id: "x", state: { a: 1 } })).kind).toBe("ok");
    expect(await manager.report({ id: "x", state: { a: 2 } })).toMatchObject({
      kind: "rejected",
      error: { code: "SHADOW_VERSION_UNSAFE" },
    });
    expect(await manager.get({ id: "x" })).toMatchObject({
      version: Number(last),
      state: { reported: { a: 1 } },
    });
  });

  test("is created again once its version is forgotten", async () => {
    await put(last);
    const clock = fakeClock();
    const shadows = world.open({ clock, versionMemoryMs: 1_000 });
    expect(codes(await shadows.delete([{ id: "x" }]))).toEqual(["ok"]);
    expect(codes(await shadows.write([{ id: "x", ...both }]))).toEqual([unsafe]);
    expect(await versionsStored()).toEqual([last]);
    clock.jump(2_000);
    expect((await shadows.write([{ id: "x", ...both }]))[0]?.outcome).toMatchObject({
      kind: "ok",
      value: { versions: { reported: 1 } },
    });
  });
});

describe("a version that only other programs write", () => {
  test.each([last, "9007199254740993", "1.5"])("%s: the shadow can still be deleted", async (version) => {
    await put(version);
    expect(codes(await world.open().delete([{ id: "x" }]))).toEqual(["ok"]);
    // The memory: without loss.
    expect(await versionsStored()).toEqual([version]);
    expect((await world.items("x"))[0]?.["SK"]).toEqual({ S: "DST#C#" });
  });

  test("beyond the last one is remembered like any other", async () => {
    await put("9007199254740993");
    const shadows = world.open();
    await shadows.delete([{ id: "x" }]);
    expect(codes(await shadows.write([{ id: "x", ...both }]))).toEqual([unsafe]);
  });

  test("that is not whole is followed by a whole one after a delete", async () => {
    await put("1.5");
    const shadows = world.open();
    await shadows.delete([{ id: "x" }]);
    expect(codes(await shadows.write([{ id: "x", ...both }]))).toEqual(["ok"]);
    expect(await versionsStored()).toEqual(["2"]);
  });

  test("that is not an integer is detected after an unconditional write, and reported as corrupt", async () => {
    await put("1.5");
    expect((await world.open().write([{ id: "x", ...both }]))[0]?.outcome).toMatchObject({
      kind: "unknown",
      error: { code: "SHADOW_ITEM_CORRUPT", ambiguous: true },
    });
    expect((await world.items("x"))[0]).toMatchObject({
      Version: { N: "2.5" },
      Reported: { M: { a: { N: "1" } } },
    });
  });
});
