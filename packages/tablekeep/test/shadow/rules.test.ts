/** Rules post shadow changes to URLs: each at least once, by any writer, whatever other targets do. */
import { createHmac } from "node:crypto";
import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { awsShadows, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ShadowRule } from "../../src/server/setting-files/shadow-rules.ts";
import { RunningRules, type RunRulesOptions } from "../../src/server/shadow/rules/run-rules.ts";
import { readServiceStatuses } from "../../src/server/shadow/service-status.ts";
import { startServer } from "../../src/server/start-server.ts";
import { expireLease } from "./expire-lease.ts";
import { deadUrl, hookServer, type Posted } from "./hook-server.ts";
import { until } from "./packet-client.ts";

const without = { mail: false, journals: [], httpPort: 0, mqtt: false, dynamodb: false } as const;

async function openTable() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec());
  return { engine, manager: openShadowManager(engine) };
}

/** Rules on a table, with short waits. */
async function runRules(
  { engine, manager }: Awaited<ReturnType<typeof openTable>>,
  rules: readonly ShadowRule[],
  options: Partial<RunRulesOptions> = {},
) {
  const running = new RunningRules({
    rules,
    port: engine,
    table: shadowTableSpec().name,
    manager,
    shadows: awsShadows(manager, systemClock),
    isShared: false,
    createStream: true,
    clock: systemClock,
    logger: silentLogger,
    ...options,
    limits: { firstWaitMs: 1, maxWaitMs: 5, attempts: 3, ...options.limits },
  });
  await running.start();
  onTestFinished(() => running.close());
  return running;
}

const named = ({ event }: Posted) => `${event.thing} ${event.version}`;

test("each event has the document of its topic, and a signature; conditions choose", async () => {
  const { url, posted } = await hookServer();
  const key = Buffer.from("a key of the test");
  const secret = `whsec_${key.toString("base64")}`;
  const where = "state.desired.on != null";
  const rules: ShadowRule[] = [
    { name: "delta", on: "delta", where, url, secret },
    { name: "documents", on: "documents", url },
    { name: "update", on: "update", where: 'thing = "lamp"', url },
    { name: "delete", on: "delete", url },
  ];
  const server = await startServer({ memory: true, ...without, shadows: { rules } });
  onTestFinished(() => server.stop());
  const http = server.listeners[0]?.url;
  const send = (thing: string, method: string, state?: object) =>
    fetch(new URL(`/things/${thing}/shadow`, http), { method, body: state && JSON.stringify({ state }) });
  await send("lamp", "POST", { desired: { on: true, big: 1 } });
  await send("lamp", "POST", { reported: { on: true, big: 1 } });
  await send("door", "POST", { desired: { open: true } });
  await send("door", "DELETE");
  const of = (rule: string) => posted.filter(({ event }) => event.rule === rule);
  await until(() => of("delete").length === 1 && of("documents").length === 3 && of("update").length === 2);
  expect(of("delta").map(named)).toEqual(["lamp 1"]);
  expect(of("documents").map(named).toSorted()).toEqual(["door 1", "lamp 1", "lamp 2"]);
  expect(of("update").map(named)).toEqual(["lamp 1", "lamp 2"]);
  const [{ headers, body, event } = {} as Posted] = of("delta");
  expect(event).toMatchObject({
    type: "shadow.delta",
    name: "",
    document: {
      version: 1,
      state: { on: true, big: 1 },
      metadata: { on: { timestamp: expect.any(Number) } },
    },
  });
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  expect(headers["webhook-signature"]).toBe(
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
  const last = of("documents").find((each) => named(each) === "lamp 2");
  expect(last?.headers["webhook-signature"]).toBeUndefined();
  expect(last?.event.document).toMatchObject({
    previous: { version: 1 },
    current: { version: 2, state: { reported: { on: true } } },
  });
  expect(of("update")[1]?.event.document).toMatchObject({
    state: { desired: { on: true } },
    changes: [
      { half: "reported", path: "/on" },
      { half: "reported", path: "/big" },
    ],
  });
  expect(of("delete")[0]?.event).toMatchObject({ type: "shadow.delete", thing: "door", version: 1 });
  const list = await (await fetch(new URL("/api/v3/shadow-rules", http))).json();
  expect(list).toMatchObject({
    running: true,
    rules: [{ name: "delta", on: "delta", where, url, queued: 0, parked: 0 }, {}, {}, {}],
  });
  expect(JSON.stringify(list)).not.toContain("whsec_");
});

describe("a target that fails", () => {
  test("keeps no other from its events, is tried again, then parked and shown", async () => {
    const table = await openTable();
    const { url, posted } = await hookServer();
    const rules: ShadowRule[] = [
      { name: "dead", on: "update", url: await deadUrl() },
      { name: "alive", on: "update", url },
    ];
    const running = await runRules(table, rules);
    for (const thing of ["a", "b"]) await table.manager.report({ id: thing, state: { on: true } });
    // At least once: an answer that takes too long repeats an event.
    const names = () => [...new Set(posted.map(named))].toSorted();
    await until(
      () =>
        names().length === 2 &&
        running.statusOf("alive")?.queued === 0 &&
        running.statusOf("dead")?.parked === 2,
    );
    expect(names()).toEqual(["a 1", "b 1"]);
    expect(running.statusOf("dead")).toEqual({ queued: 0, parked: 2, dropped: 0, lastError: "ECONNREFUSED" });
    expect(running.statusOf("alive")).toEqual({ queued: 0, parked: 0, dropped: 0 });
    const parked = await running.parked("dead", { limit: 2 }, new AbortController().signal);
    const failed = expect.objectContaining({ attempts: 3, error: "ECONNREFUSED" });
    expect(parked).toEqual({ events: [failed, failed] });
  });

  test("gets the same id in every attempt, and parked events again on request", async () => {
    const table = await openTable();
    let isUp = false;
    const { url, posted } = await hookServer(() => (isUp ? 204 : 503));
    const running = await runRules(table, [{ name: "one", on: "update", url }]);
    await table.manager.report({ id: "a", state: { on: true } });
    await until(() => running.statusOf("one")?.parked === 1);
    expect(posted).toHaveLength(3);
    expect(running.statusOf("one")?.lastError).toContain("503");
    isUp = true;
    const { signal } = new AbortController();
    expect(await running.retry("one", signal)).toBe(1);
    await until(() => posted.length === 4 && running.statusOf("one")?.queued === 0);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(running.statusOf("one")).toEqual({ queued: 0, parked: 0, dropped: 0 });
    expect(await running.parked("one", { limit: 1 }, signal)).toEqual({ events: [] });
  });

  test("for one shadow does not delay those of other shadows, and later ones of the same shadow keep their order", async () => {
    const table = await openTable();
    let isBad = true;
    const { url, posted } = await hookServer(({ event }) => (isBad && event.thing === "bad" ? 400 : 200));
    const running = await runRules(table, [{ name: "one", on: "update", url }], {
      limits: { attempts: 1_000 },
    });
    for (const n of [1, 2]) {
      await table.manager.report({ id: "bad", state: { n } });
      await table.manager.report({ id: "good", state: { n } });
    }
    const good = () => posted.filter(({ event }) => event.thing === "good");
    await until(() => good().length === 2 && running.statusOf("one")?.queued === 2);
    expect(posted.map(named)).not.toContain("bad 2");
    isBad = false;
    await until(() => running.statusOf("one")?.queued === 0);
    expect(posted.slice(-2).map(named)).toEqual(["bad 1", "bad 2"]);
  });

  test("loses the oldest events of a full queue, and has the others after a restart", async () => {
    const table = await openTable();
    const limits = { stored: 3, queued: 2, attempts: 1_000, firstWaitMs: 60_000, maxWaitMs: 60_000 };
    const dead = await runRules(table, [{ name: "one", on: "update", url: await deadUrl() }], { limits });
    for (let n = 1; n <= 5; n++) await table.manager.report({ id: `t${n}`, state: { n } });
    await table.manager.report({ id: "last", state: {} });
    await until(
      () =>
        dead.metrics[0]?.samples().some((s) => s.labels["outcome"] === "dropped" && s.value === 3) === true,
    );
    await dead.close();
    const { url, posted } = await hookServer();
    const alive = await runRules(table, [{ name: "one", on: "update", url }]);
    await until(() => posted.length >= 3 && alive.statusOf("one")?.queued === 0);
    const names = posted.map(named);
    expect(names).toContain("last 1");
    // Those that were read and not yet dropped are at most as many as fit.
    expect(names.length).toBe(3);
  });
});

test("a queue that is full of events in flight drops the oldest once they have failed", async () => {
  const table = await openTable();
  let fail = (_status: number) => {};
  const status = new Promise<number>((resolve) => {
    fail = resolve;
  });
  const { url, posted } = await hookServer(() => status);
  const limits = { stored: 1, queued: 1, attempts: 1_000, firstWaitMs: 60_000, maxWaitMs: 60_000 };
  const running = await runRules(table, [{ name: "one", on: "update", url }], { limits });
  await table.manager.report({ id: "a", state: { on: true } });
  await until(() => posted.length === 1);
  await table.manager.report({ id: "b", state: { on: true } });
  await until(() => running.statusOf("one")?.queued === 2);
  fail(503);
  await until(() => running.statusOf("one")?.queued === 1);
  expect(running.statusOf("one")).toMatchObject({ parked: 0, dropped: 1 });
});

test("a target that was dead for long gets all events in order, also those that did not fit in memory", async () => {
  const table = await openTable();
  let isUp = false;
  const { url, posted } = await hookServer(() => (isUp ? 200 : 503));
  const limits = { queued: 4, attempts: 1_000 };
  const rules: ShadowRule[] = [{ name: "one", on: "update", url }];
  const first = await runRules(table, rules, { limits });
  const report = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) await table.manager.report({ id: "lamp", state: { n } });
  };
  await report(1, 15);
  await until(() => first.statusOf("one")?.queued === 15);
  await first.close();
  const second = await runRules(table, rules, { limits });
  await report(16, 30);
  await until(() => second.statusOf("one")?.queued === 30);
  posted.length = 0;
  isUp = true;
  await until(() => second.statusOf("one")?.queued === 0);
  const versions = posted.map(({ event }) => event.version);
  expect(versions.slice(versions.indexOf(2))).toEqual(Array.from({ length: 29 }, (_, at) => at + 2));
  expect(second.statusOf("one")).toEqual({ queued: 0, parked: 0, dropped: 0 });
});

test("events that could not be stored at first keep their order, and are posted once", async () => {
  const table = await openTable();
  const { url, posted } = await hookServer();
  let failures = 0;
  const port: RunRulesOptions["port"] = {
    ...table.engine,
    async putItem(input, options) {
      const isFirst = input.Item?.["PK"]?.S === "RULES#queue#one" && input.Item["Version"]?.N === "1";
      if (isFirst && failures++ === 0) throw new Error("no connection");
      return table.engine.putItem(input, options);
    },
  };
  const running = await runRules(table, [{ name: "one", on: "update", url }], { port });
  for (const n of [1, 2, 3]) await table.manager.report({ id: "lamp", state: { n } });
  await until(() => posted.length >= 3 && running.statusOf("one")?.queued === 0);
  expect(posted.map(named)).toEqual(["lamp 1", "lamp 2", "lamp 3"]);
  expect(failures).toBe(2);
  await running.close();
  const again = await runRules(table, [{ name: "one", on: "update", url }]);
  await until(() => again.isLeading);
  expect(again.statusOf("one")).toEqual({ queued: 0, parked: 0, dropped: 0 });
});

test("of two servers on one table one posts each change; the other takes over when it stops", async () => {
  const { engine, manager } = await openTable();
  const { url, posted } = await hookServer();
  const shadows = { rules: [{ name: "one", on: "update" as const, url }] };
  const serve = () => startServer({ port: engine, createTables: true, shadows, ...without });
  const servers = [await serve(), await serve()] as const;
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const runs = async (server: (typeof servers)[number]) => {
    const answer = await fetch(new URL("/api/v3/shadow-rules", server.listeners[0]?.url));
    return ((await answer.json()) as { running: boolean }).running;
  };
  await expect.poll(async () => Promise.all(servers.map(runs))).toEqual([true, false]);
  for (let n = 1; n <= 10; n++) await manager.report({ id: "lamp", state: { n } });
  await until(() => posted.length >= 10);
  await servers[0].stop();
  await manager.report({ id: "lamp", state: { n: 11 } });
  await until(() => posted.length >= 11);
  expect(posted.map(({ event }) => event.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const retry = await fetch(new URL("/api/v3/shadow-rules/one/retry", servers[1].listeners[0]?.url), {
    method: "POST",
  });
  expect(await retry.json()).toEqual({ queued: 0 });
});

test("another server takes over from one that was killed, and posts what that one had not", async () => {
  const { engine, manager } = await openTable();
  let isKilled = false;
  const port = new Proxy(engine, {
    get(on, key) {
      const value: unknown = Reflect.get(on, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        isKilled
          ? Promise.reject(new Error("killed"))
          : (value as (...args: unknown[]) => unknown).apply(on, args);
    },
  });
  const { url, posted } = await hookServer();
  const rules: ShadowRule[] = [{ name: "one", on: "update", url }];
  const shared = { isShared: true, leaseMs: 6_000 };
  const first = await runRules({ engine, manager }, rules, { ...shared, port });
  await until(() => first.isLeading);
  const second = await runRules({ engine, manager }, rules, shared);
  await manager.report({ id: "lamp", state: { n: 1 } });
  await until(() => posted.length > 0);
  expect(second.isLeading).toBe(false);
  isKilled = true;
  await expireLease(engine, "RULES#lease");
  await manager.report({ id: "lamp", state: { n: 2 } });
  await until(() => second.isLeading && posted.some(({ event }) => event.version === 2));
  const lines = async () => (await readServiceStatuses(engine, shadowTableSpec().name))[0]?.lines;
  await expect.poll(lines).toEqual(["one: 0 queued, 0 parked"]);
});

test("an invalid condition is reported at the start", async () => {
  const rules = [{ name: "one", on: "delete" as const, where: "reported.a = 1", url: "http://127.0.0.1:1/" }];
  const start = startServer({ memory: true, shadows: { rules }, ...without });
  await expect(start).rejects.toMatchObject({ code: "SHADOW_QUERY_INVALID" });
});

describe("a table without a stream", () => {
  const both = (url: string): ShadowRule[] => [
    { name: "changed", on: "update", url },
    { name: "gone", on: "delete", url },
  ];
  const told = (posted: readonly Posted[]) =>
    posted.map(({ event: { type, thing, version } }) => `${type} ${thing} ${version}`).toSorted();
  const Key = { PK: { S: "RULES#polling" }, SK: { S: "complete" } };
  const firstReading = ({ engine }: Awaited<ReturnType<typeof openTable>>) =>
    until(async () => (await engine.getItem({ TableName: shadowTableSpec().name, Key })).Item !== undefined);

  test("is reported at the start", async () => {
    const { engine } = await openTable();
    const start = startServer({ port: engine, shadows: { rules: both("http://127.0.0.1:1/") }, ...without });
    await expect(start).rejects.toMatchObject({ code: "FEED_STREAM_MISSING" });
  });

  test("is polled on request: rules get the newest change to each shadow, including changes made while no server ran", async () => {
    const table = await openTable();
    const { engine, manager } = table;
    const { url, posted } = await hookServer();
    const shadows = { rules: both(url), pollSeconds: 0.005 };
    const serve = () => startServer({ port: engine, shadows, ...without });
    for (const id of ["old", "same"]) await manager.report({ id, state: { n: 1 } });
    const first = await serve();
    await firstReading(table);
    await manager.report({ id: "lamp", state: { n: 1 } });
    await until(() => posted.length === 1);
    await first.stop();
    for (const n of [2, 3]) await manager.report({ id: "lamp", state: { n } });
    await manager.report({ id: "new", name: "named", state: { n: 1 } });
    await manager.delete({ id: "old" });
    const second = await serve();
    onTestFinished(() => second.stop());
    await until(() => posted.length >= 4);
    expect(told(posted)).toEqual([
      "shadow.delete old 1",
      "shadow.update lamp 1",
      "shadow.update lamp 3",
      "shadow.update new 1",
    ]);
  });

  test.each([
    ["a change", "put"],
    ["a deletion", "delete"],
  ] as const)("repeats %s with its id after a crash before that was stored", async (_what, kind) => {
    const table = await openTable();
    const { engine, manager } = table;
    const { url, posted } = await hookServer();
    let isBroken = false;
    const port: RunRulesOptions["port"] = {
      ...engine,
      async batchWriteItem(input, options) {
        const requests = Object.values(input.RequestItems ?? {}).flat();
        const isKind = requests.some((each) => (each.DeleteRequest === undefined) === (kind === "put"));
        if (isBroken && isKind) throw new Error("killed");
        return engine.batchWriteItem(input, options);
      },
    };
    await manager.report({ id: "lamp", state: { n: 1 } });
    const polled = { createStream: false, pollMs: 2 };
    const killed = await runRules(table, both(url), { ...polled, port });
    await firstReading(table);
    isBroken = true;
    await (kind === "put" ? manager.report({ id: "lamp", state: { n: 2 } }) : manager.delete({ id: "lamp" }));
    await until(() => posted.length === 1 && killed.isFailing);
    await killed.close();
    const next = await runRules(table, both(url), polled);
    await until(() => posted.length === 2 && next.statusOf("changed")?.queued === 0);
    expect(told(posted)).toEqual(
      Array(2).fill(`shadow.${kind === "put" ? "update lamp 2" : "delete lamp 1"}`),
    );
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });
});
