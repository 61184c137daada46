import { type Outcome, unwrap, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import {
  openShadowManager,
  type Shadow,
  type ShadowManagerOptions,
  type Shadows,
  type ShadowsOptions,
} from "../src/index.ts";
import { type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
let operations: string[];

beforeEach(async () => {
  world = await shadowWorld();
  operations = [];
});

/** A manager whose requests are recorded. */
function recorded(store: ShadowsOptions = {}, options: ShadowManagerOptions = { policy: "aws" }) {
  const port = wrapPort(world.engine, async (operation, input, call, next) => {
    operations.push(operation);
    return next(operation, input, call);
  });
  return openShadowManager(port, { table: world.table, ...store }, options);
}

const other = () => openShadowManager(world.engine, { table: world.table }, { policy: "aws" });

async function requestsOf(run: () => Promise<Outcome<unknown>>): Promise<string[]> {
  operations = [];
  unwrap(await run());
  return operations;
}

const key = { PK: { S: "DS#x" }, SK: { S: "DSC#" } };

describe("a shadow that the manager wrote last", () => {
  test("is updated without reading it, any number of times", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { a: 1, gone: true } }));
    for (let n = 1; n <= 3; n++)
      expect(await requestsOf(() => manager.report({ id: "x", state: { n } }))).toEqual(["UpdateItem"]);
    unwrap(await manager.report({ id: "x", state: { gone: null } }));
    expect(await manager.get({ id: "x" })).toMatchObject({ version: 5, state: { reported: { a: 1, n: 3 } } });
  });

  test("is the previous one in the result, as if it had been read", async () => {
    const manager = recorded();
    unwrap(await manager.update({ id: "x", reported: { n: 1 }, desired: { n: 2 }, clientToken: "one" }));
    const before = await manager.get({ id: "x" });
    const { previous, current } = unwrap(await manager.report({ id: "x", state: { n: 2 } }));
    expect(previous).toEqual(before);
    expect(current).toEqual(await manager.get({ id: "x" }));
  });

  test("is read when another manager wrote it, and merged with what that wrote", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { mine: 1 } }));
    unwrap(await other().desire({ id: "x", state: { theirs: 1 } }));
    const merged = () => manager.report({ id: "x", state: { mine: 2 } });
    expect(await requestsOf(merged)).toEqual(["UpdateItem", "GetItem", "UpdateItem"]);
    expect(await manager.get({ id: "x" })).toMatchObject({
      version: 3,
      state: { reported: { mine: 2 }, desired: { theirs: 1 } },
    });
  });

  test("is read first for a while after that", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { n: 0 } }));
    unwrap(await other().report({ id: "x", state: { n: 1 } }));
    unwrap(await manager.report({ id: "x", state: { n: 2 } }));
    const unread: number[] = [];
    for (let n = 1; n <= 10; n++) {
      const requests = await requestsOf(() => manager.report({ id: "x", state: { n } }));
      if (!requests.includes("GetItem")) unread.push(n);
    }
    expect(unread).toEqual([8, 9, 10]);
  });

  test("is read when somebody edited its item, even under the same version and time", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    await world.engine.updateItem({
      TableName: world.table,
      Key: key,
      UpdateExpression: "SET Reported.edited = :yes",
      ExpressionAttributeValues: { ":yes": { BOOL: true } },
    });
    unwrap(await manager.report({ id: "x", state: { n: 2 } }));
    expect(await manager.get({ id: "x" })).toMatchObject({ state: { reported: { n: 2, edited: true } } });
  });

  test("continues its versions when somebody deleted it", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { old: 1 } }));
    unwrap(await other().delete({ id: "x" }));
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    const now = await manager.get({ id: "x" });
    expect(now?.state).toEqual({ reported: { n: 1 } });
    expect(now?.version).toBeGreaterThan(1);
  });

  test("is created again when somebody removed the item", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { old: 1 } }));
    await world.engine.deleteItem({ TableName: world.table, Key: key });
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    expect((await manager.get({ id: "x" }))?.state).toEqual({ reported: { n: 1 } });
  });

  test("is read when its own deletion came between", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    unwrap(await manager.delete({ id: "x" }));
    const again = () => manager.report({ id: "x", state: { n: 1 } });
    expect(await requestsOf(again)).toEqual(["GetItem", "TransactWriteItems", "TransactWriteItems"]);
  });

  test("is read before a request is rejected: what is stored may accept it", async () => {
    const manager = recorded({}, { policy: "aws", limits: { stateBytes: 40 } });
    unwrap(await manager.report({ id: "x", state: { long: "123456789012345678" } }));
    unwrap(await other().report({ id: "x", state: { long: null, a: 1 } }));
    unwrap(await manager.report({ id: "x", state: { more: "1234567890123" } }));
    expect((await manager.get({ id: "x" }))?.state).toEqual({ reported: { a: 1, more: "1234567890123" } });
  });

  test("is read for a request with a version, whose conflict names the current one", async () => {
    const manager = recorded();
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    unwrap(await other().report({ id: "x", state: { n: 2 } }));
    operations = [];
    const outcome = await manager.update({ id: "x", reported: { n: 3 }, version: 1 });
    expect(outcome).toMatchObject({
      kind: "conflict",
      error: { details: { conflicts: [{ expected: 1, current: 2 }] } },
    });
    expect(operations).toEqual(["GetItem"]);
  });

  test("is not changed by a caller that changes what it passed or received", async () => {
    const manager = recorded();
    const list = [1, 2];
    const { current } = unwrap(await manager.report({ id: "x", state: { list, keep: { a: 1 } } }));
    list.push(3);
    (current.state.reported as { keep: { a: number } }).keep.a = 9;
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    expect((await manager.get({ id: "x" }))?.state).toEqual({
      reported: { list: [1, 2], keep: { a: 1 }, n: 1 },
    });
  });

  test("is forgotten after a minute", async () => {
    const clock = fakeClock();
    const manager = recorded({ clock });
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    await clock.advance(60_001);
    expect(await requestsOf(() => manager.report({ id: "x", state: { n: 2 } }))).toEqual([
      "GetItem",
      "UpdateItem",
    ]);
  });

  test("is read by a manager that keeps a history", async () => {
    const manager = recorded({ history: {} });
    await world.engine.createTable({
      TableName: `${world.table}-history`,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "Shadow", AttributeType: "S" },
        { AttributeName: "Entry", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "Shadow", KeyType: "HASH" },
        { AttributeName: "Entry", KeyType: "RANGE" },
      ],
    });
    unwrap(await manager.report({ id: "x", state: { n: 1 } }));
    expect(await requestsOf(() => manager.report({ id: "x", state: { n: 2 } }))).toContain("GetItem");
  });
});

test("three managers that update one shadow at the same time lose nothing", async () => {
  const managers = [recorded(), recorded(), recorded()];
  await Promise.all(
    managers.map(async (manager, at) => {
      for (let n = 1; n <= 30; n++)
        unwrap(await manager.report({ id: "x", state: { [`of${at}`]: n, [`key${at}-${n}`]: n } }));
    }),
  );
  const reported = (await other().get({ id: "x" }))?.state.reported ?? {};
  expect(Object.keys(reported)).toHaveLength(3 + 90);
  expect(reported).toMatchObject({ of0: 30, of1: 30, of2: 30 });
});

async function stored(shadows: Shadows): Promise<Shadow> {
  const [read] = await shadows.read([{ id: "x" }]);
  if (read === undefined) throw new Error("a read of one shadow has one result");
  return unwrap(read.outcome);
}

describe("replaces", () => {
  test("writes only over the shadow that was read", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", reported: { n: 1 }, desired: null, version: 0 }]);
    const replaces = await stored(shadows);
    const write = { id: "x", reported: { n: 2 }, desired: null, replaces };
    const [first] = await shadows.write([write]);
    const [second] = await shadows.write([write]);
    expect(first?.outcome).toMatchObject({ kind: "ok", value: { versions: { reported: 2, desired: 2 } } });
    expect(second?.outcome.kind).toBe("conflict");
  });

  test.each([
    ["a version", { version: 1 }],
    ["the separate model", { model: "separate" as const }],
  ])("is rejected with %s", async (_what, given) => {
    const shadows = world.open();
    await shadows.write([{ id: "x", reported: { n: 1 }, desired: null, version: 0 }]);
    const replaces = await stored(shadows);
    const [written] = await shadows.write([{ id: "x", reported: {}, desired: {}, replaces, ...given }]);
    expect(written?.outcome).toMatchObject({
      kind: "rejected",
      error: { code: "SHADOW_OPERATION_INVALID" },
    });
  });
});
