import { type Outcome, silentLogger } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openShadowManager } from "../src/index.ts";
import { originalItem, type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

const both = { reported: { on: false }, desired: { on: true } };
const codes = (results: readonly { outcome: Outcome<unknown> }[]) =>
  results.map(({ outcome }) => (outcome.kind === "ok" ? "ok" : outcome.error.code));

describe("attribute names in another case", () => {
  const putOdd = async (id: string, sort: string) => {
    const { Version, TimeStamp, Reported, ...rest } = originalItem(id, sort, 4, {
      reported: { n: { N: "1" } },
    });
    await world.put({
      ...rest,
      version: Version,
      timestamp: TimeStamp,
      REPORTED: Reported,
      Mine: { S: "x" },
    } as never);
  };

  test("are read, as Go reads them", async () => {
    await putOdd("x", "DSC#");
    const shadows = world.open();
    expect((await shadows.read([{ id: "x" }]))[0]?.outcome).toMatchObject({
      value: { reported: { value: { n: 1 }, version: 4, timeStamp: 1794708821917405583n } },
    });
    expect((await shadows.list({ id: "x" })).rows).toMatchObject([
      { version: 4, timeStamp: 1794708821917405583n },
    ]);
  });

  test.each([4, undefined])("are put right by a write, version %s", async (version) => {
    await putOdd("x", "DSC#");
    await putOdd("y", "DSR#");
    const [combined] = await world.open().write([{ id: "x", ...both, version }]);
    expect(combined?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 5 } } });
    const apart = { id: "y", model: "separate" as const, ...both, version: { reported: version } };
    const [pair] = await world.open().write([apart]);
    expect(pair?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 5, desired: 1 } } });
    const names = [
      "ClientToken",
      "Desired",
      "Mine",
      "PK",
      "Reported",
      "SK",
      "TimeStamp",
      "Version",
      "WriteId",
    ];
    expect(Object.keys((await world.items("x"))[0] ?? {}).toSorted()).toEqual(names);
    expect(Object.keys((await world.items("y"))[1] ?? {}).toSorted()).toEqual(names);
    expect(codes(await world.open().write([{ id: "x", ...both, version: 4 }]))).toEqual([
      "SHADOW_VERSION_CONFLICT",
    ]);
  });

  test.each([4, undefined])("do not keep a shadow from being deleted, version %s", async (version) => {
    await putOdd("x", "DSC#");
    const shadows = world.open();
    expect(codes(await shadows.delete([{ id: "x", version: 3 }]))).toEqual(["SHADOW_VERSION_CONFLICT"]);
    expect(codes(await shadows.delete([{ id: "x", version }]))).toEqual(["ok"]);
    expect(codes(await shadows.read([{ id: "x" }]))).toEqual(["SHADOW_NOT_FOUND"]);
  });
});

test("reports items that are not of a shadow", async () => {
  const { Version: _none, ...unversioned } = originalItem("x", "DSC#a", 1, {});
  await world.put(unversioned);
  await world.put({ ...originalItem("x", "DSC#b", 1, {}), Version: { N: "1.5" } });
  await world.put({ ...originalItem("x", "DSC#c", 1, {}), Version: { N: "9007199254740993" } });
  const shadows = world.open();
  const names = ["a", "b", "c"].map((name) => ({ id: "x", name }));
  expect(codes(await shadows.read(names))).toEqual([
    "SHADOW_ITEM_CORRUPT",
    "SHADOW_ITEM_CORRUPT",
    "SHADOW_VERSION_UNSAFE",
  ]);
  expect(codes(await shadows.write([{ id: "x", name: "a", ...both }]))).toEqual(["SHADOW_ITEM_CORRUPT"]);
});

test("a list leaves out a corrupt item and logs it", async () => {
  const shadows = world.open();
  await shadows.write(["a", "z"].map((name) => ({ id: "x", name, ...both })));
  const { Version: _none, ...unversioned } = originalItem("x", "DSC#b", 1, {});
  await world.put(unversioned);
  await world.put({ ...originalItem("x", "DSC#c", 1, {}), Version: { N: "1.5" } });
  await world.put({ ...originalItem("x", "DSC#d", 1, {}), Version: { N: "9007199254740993" } });
  await world.put({ ...originalItem("x", "DSC#e", 1, {}), TimeStamp: { N: "1.5" } });
  await world.put({ ...originalItem("x", "DSC#f", 1, {}), Version: { N: "-3" } });
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (_text: string, fields?: object) => void warned.push(fields) };
  for (const options of [{}, { id: "x" }]) {
    const { rows } = await world.open({ logger }).list(options);
    expect(rows.map(({ name }) => name)).toEqual(["a", "z"]);
  }
  expect(warned).toHaveLength(10);
  expect(warned.slice(0, 2)).toMatchObject([
    { id: "x", name: "b" },
    { id: "x", name: "c" },
  ]);
});

test("reads and requests report a version below 0 as corrupt", async () => {
  await world.put({ ...originalItem("x", "DSC#", 1, {}), Version: { N: "-3" } });
  expect(codes(await world.open().read([{ id: "x" }]))).toEqual(["SHADOW_ITEM_CORRUPT"]);
  const manager = openShadowManager(world.port, { table: world.table });
  const outcome = await manager.report({ id: "x", state: { n: 1 } });
  expect(outcome).toMatchObject({ kind: "rejected", error: { code: "SHADOW_ITEM_CORRUPT" } });
});

test("a write to a version that is not an integer is reported as corrupt and as possibly stored", async () => {
  for (const sort of ["DSC#", "DSR#half"])
    await world.put({ ...originalItem("x", sort, 1, {}), Version: { N: "1.5" } });
  const shadows = world.open();
  const half = { id: "x", name: "half", model: "separate" as const, reported: both.reported };
  const results = await shadows.write([{ id: "x", ...both }, half]);
  const damaged = { code: "SHADOW_ITEM_CORRUPT", ambiguous: true, details: { attribute: "Version" } };
  expect(results.map(({ outcome }) => outcome)).toMatchObject([
    { kind: "unknown", error: damaged },
    { kind: "unknown", error: damaged },
  ]);
  expect(codes(await shadows.delete([{ id: "x" }]))).toEqual(["ok"]);
});

test.each([
  "null",
  "5",
  "[1]",
  '{"reported":5}',
  '{"reported":null}',
  '{"reported":{"n":"x"}}',
  '{"reported":{"n":[null]}}',
])("invalid times count as missing: %s", async (text) => {
  const item = originalItem("x", "DSC#", 1, { reported: { n: { N: "1" } } });
  await world.put({ ...item, Metadata: { S: text } });
  const manager = openShadowManager(world.port, { table: world.table }, { policy: "acknowledge" });
  expect((await manager.get({ id: "x" }))?.state.reported).toEqual({ n: 1 });
  const outcome = await manager.report({ id: "x", state: { n: 2 } });
  expect(outcome).toMatchObject({ kind: "ok", value: { current: { state: { reported: { n: 2 } } } } });
});

test("a page that was read with more rows than are shown loses none of them", async () => {
  await world.put({ PK: { S: "DS#x" }, SK: { S: "AAA#of another" } });
  const names = ["a", "b", "c", "d"];
  await world.open().write(names.map((name) => ({ id: "x", name, ...both })));
  // The first request returns the foreign row, a and b; the second, the last one, c and d.
  const first = await world.open().list({ id: "x", limit: 3 });
  const rest = await world.open().list({ id: "x", limit: 3, token: first.token });
  expect([first, rest].map(({ rows }) => rows.map(({ name }) => name))).toEqual([["a", "b", "c"], ["d"]]);
  expect(rest.token).toBeUndefined();
});

test("a list among many foreign rows ends in time, and continues from its token", async () => {
  for (let n = 0; n < 12; n++) await world.put({ PK: { S: `OTHER#${n}` }, SK: { S: "x" } });
  await world.open().write([{ id: "x", ...both }]);
  const clock = fakeClock();
  // Each page takes three seconds of the ten that a call has.
  const slow = faultyPort(world.engine, "seed=1 faults=[{op:Scan,kind:delay,ms:3000}]", { clock });
  const shadows = world.openOn(slow, { clock });
  const ids: string[] = [];
  let [token, calls]: [string | undefined, number] = [undefined, 0];
  await clock.autoAdvance(
    async () => {
      do {
        const page = await shadows.list({ limit: 2, token });
        ids.push(...page.rows.map(({ id }) => id));
        token = page.token;
        calls++;
      } while (token !== undefined);
    },
    { busy: () => slow.busy() },
  );
  expect(ids).toEqual(["x"]);
  expect(calls).toBeGreaterThan(2);
});
