import { unwrap } from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openShadowManager, type ShadowModel } from "../src/index.ts";
import { type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

async function costOf(work: () => Promise<unknown>) {
  world.meter.reset();
  await work();
  const { total, byOperation } = world.meter.reset();
  const requests = Object.fromEntries(
    Object.entries(byOperation).map(([operation, counts]) => [operation, counts?.requests]),
  );
  return { requests, readUnits: total.readUnits, writeUnits: total.writeUnits };
}

const both = { reported: { on: false }, desired: { on: true } };
const things = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `thing-${n}` }));

describe("reading", () => {
  test.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ])("%i combined shadows are %i requests", async (count, batches) => {
    const { requests } = await costOf(() => world.open().read(things(count)));
    expect(requests).toEqual({ [count === 1 ? "GetItem" : "BatchGetItem"]: batches });
  });

  test.each([
    [1, 1],
    [50, 1],
    [51, 2],
    [125, 3],
  ])("%i separate shadows are %i requests", async (count, batches) => {
    const { requests } = await costOf(() => world.open({ model: "separate" }).read(things(count)));
    expect(requests).toEqual({ BatchGetItem: batches });
  });
});

describe("writing", () => {
  test("a known version is one request, at the price of a put", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both, version: 0 }]);
    const known = await costOf(() => shadows.write([{ id: "x", ...both, version: 1 }]));
    expect(known).toEqual({ requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 1 });
    const any = await costOf(() => shadows.write([{ id: "x", ...both }]));
    expect(any).toEqual({ requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 1 });
  });

  test("a half that is stored apart is one request, both are one transaction", async () => {
    const shadows = world.open({ model: "separate" });
    await shadows.write([{ id: "x", ...both, version: 0 }]);
    const half = await costOf(() => shadows.write([{ id: "x", reported: {}, version: 1 }]));
    expect(half).toEqual({ requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 1 });
    const pair = await costOf(() =>
      shadows.write([{ id: "x", ...both, version: { reported: 2, desired: 1 } }]),
    );
    expect(pair).toEqual({ requests: { TransactWriteItems: 1 }, readUnits: 0, writeUnits: 4 });
  });

  test("a creation is one request, and a deletion of a known version", async () => {
    const shadows = world.open();
    const created = await costOf(() => shadows.write([{ id: "x", ...both, version: 0 }]));
    expect(created).toEqual({ requests: { TransactWriteItems: 1 }, readUnits: 0, writeUnits: 8 });
    const deleted = await costOf(() => shadows.delete([{ id: "x", version: 1 }]));
    expect(deleted).toEqual({ requests: { TransactWriteItems: 1 }, readUnits: 0, writeUnits: 4 });
  });

  test("deleting any version reads once for many shadows", async () => {
    const shadows = world.open();
    await shadows.write(things(25).map((each) => ({ ...each, ...both, version: 0 })));
    const { requests } = await costOf(() => shadows.delete(things(25)));
    expect(requests).toEqual({ BatchGetItem: 1, TransactWriteItems: 25 });
  });
});

describe.each(["combined", "separate"] as const)("an update of the manager, %s", (model: ShadowModel) => {
  test.each(["aws", "acknowledge"] as const)("is one read and one write, %s", async (policy) => {
    const open = () => openShadowManager(world.port, { table: world.table, model }, { policy });
    unwrap(await open().update({ id: "x", ...both }));
    const manager = open();
    const { requests } = await costOf(async () => unwrap(await manager.report({ id: "x", state: { n: 1 } })));
    const write = model === "separate" && policy === "aws" ? "TransactWriteItems" : "UpdateItem";
    const read = model === "combined" ? "GetItem" : "BatchGetItem";
    expect(requests).toEqual({ [read]: 1, [write]: 1 });
  });
});

test.each(["aws", "acknowledge"] as const)(
  "an update of a combined shadow that the manager wrote last is one write, %s",
  async (policy) => {
    const manager = openShadowManager(world.port, { table: world.table }, { policy });
    unwrap(await manager.update({ id: "x", ...both }));
    const cost = await costOf(async () => unwrap(await manager.report({ id: "x", state: { n: 1 } })));
    expect(cost).toEqual({ requests: { UpdateItem: 1 }, readUnits: 0, writeUnits: 1 });
  },
);
