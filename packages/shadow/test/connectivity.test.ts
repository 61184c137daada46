import { DynamoError, type DynamoPort, silentLogger, unwrap, wrapPort } from "@tablekeep/core";
import { type FakeClock, fakeClock, pauseAtEvery, stopAfterNth } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { ConnectionLog, openShadowManager } from "../src/index.ts";
import { shadowWorld } from "./shadow-world.ts";

interface Fleet {
  readonly port: DynamoPort;
  readonly clock: FakeClock;
  readonly table: string;
  server(name?: string, on?: DynamoPort): ConnectionLog;
  read(thing: string): Promise<unknown>;
  isConnected(thing: string): Promise<boolean>;
}

async function fleet(): Promise<Fleet> {
  const { engine: port, table } = await shadowWorld();
  const clock = fakeClock({ startAt: 1_000_000 });
  const manager = openShadowManager(port, { table, clock });
  const read = async (thing: string) => (await manager.connectivity([thing])).get(thing);
  return {
    port,
    clock,
    table,
    server: (name, on = port) =>
      new ConnectionLog({ port: on, table, server: name, clock, logger: silentLogger }),
    read,
    isConnected: async (thing) => (await read(thing))?.connected ?? false,
  };
}

const lost = { reason: "CONNECTION_LOST", willPublished: true } as const;
/** Connects a thing, and waits until that is stored. */
const connected = (log: ConnectionLog, thing: string) =>
  new Promise<ReturnType<ConnectionLog["connected"]>>((resolve) => {
    const connection = log.connected(thing, () => resolve(connection));
  });

test("stores when a thing connected, when and why it disconnected, and how often it connected", async () => {
  const { clock, server, read } = await fleet();
  const log = server("a");
  expect(await read("lamp")).toBeUndefined();
  const first = await connected(log, "lamp");
  expect(await read("lamp")).toEqual({ connected: true, connectedAt: 1_000_000, version: 1 });
  await clock.advance(5_000);
  expect(await first.ended(lost)).toBe(1);
  const ended = { disconnectedAt: 1_005_000, ...lost };
  expect(await read("lamp")).toEqual({ connected: false, connectedAt: 1_000_000, ...ended, version: 1 });
  await clock.advance(1_000);
  await connected(log, "lamp");
  expect(await read("lamp")).toEqual({ connected: true, connectedAt: 1_006_000, ...ended, version: 2 });
});

test("a stop ends all connections of a server with one write", async () => {
  const { port, clock, server, read } = await fleet();
  let writes = 0;
  const counted = wrapPort(port, (operation, input, options, next) => {
    if (/Put|Update/.test(operation)) writes++;
    return next(operation, input, options);
  });
  const log = server("a", counted);
  for (const thing of ["lamp", "fan", "door"]) await connected(log, thing);
  await clock.advance(2_000);
  writes = 0;
  await log.close();
  expect(writes).toBe(1);
  const stopped = { disconnectedAt: 1_002_000, reason: "SERVER_INITIATED_DISCONNECT", version: 1 };
  for (const thing of ["lamp", "fan", "door"])
    expect(await read(thing)).toEqual({ connected: false, connectedAt: 1_000_000, ...stopped });
  // Also after the next start.
  await clock.advance(60_000);
  await connected(server("a"), "fan");
  expect(await read("lamp")).toMatchObject(stopped);
});

test("the lease is renewed while something is connected, and nothing is written while nothing is", async () => {
  const { port, clock, server, isConnected } = await fleet();
  let requests = 0;
  const counted = wrapPort(port, (operation, input, options, next) => {
    requests++;
    return next(operation, input, options);
  });
  const log = server(undefined, counted);
  await log.start();
  await clock.advance(3_600_000);
  expect(requests).toBe(0);
  const lamp = await connected(log, "lamp");
  await clock.advance(3_600_000);
  expect(await isConnected("lamp")).toBe(true);
  await lamp.ended(lost);
  await clock.advance(20_000);
  requests = 0;
  await clock.advance(3_600_000);
  expect(requests).toBe(0);
});

test("what a killed server leaves behind ends with its lease, and at once when it starts again", async () => {
  const { port, clock, server, read, isConnected } = await fleet();
  let isDead = false;
  const mortal = wrapPort(port, (operation, input, options, next) =>
    isDead ? new Promise(() => {}) : next(operation, input, options),
  );
  await connected(server("a", mortal), "lamp");
  await clock.advance(25_000);
  isDead = true;
  await clock.advance(20_000);
  expect(await isConnected("lamp")).toBe(true);
  await clock.advance(10_000);
  const lostAt = { disconnectedAt: 1_050_000, reason: "SERVER_LOST" };
  expect(await read("lamp")).toMatchObject({ connected: false, ...lostAt });
  await server("a").start();
  expect(await read("lamp")).toMatchObject({ connected: false, ...lostAt });

  isDead = false;
  await connected(server("b", mortal), "fan");
  isDead = true;
  await clock.advance(1_000);
  expect(await isConnected("fan")).toBe(true);
  await server("b").start();
  expect(await read("fan")).toMatchObject({
    connected: false,
    disconnectedAt: 1_056_000,
    reason: "SERVER_LOST",
  });
});

test("a crash at any request leaves nothing connected once the server starts again, and it connects again", async () => {
  const report = await stopAfterNth({
    setup: fleet,
    async run(port, { server }) {
      const log = server("a", port);
      await log.start();
      const first = await connected(log, "lamp");
      await first.ended(lost);
      await connected(log, "lamp");
      await log.close();
    },
    async check({ server, isConnected }) {
      const next = server("a");
      await next.start();
      expect(await isConnected("lamp")).toBe(false);
      await connected(next, "lamp");
      expect(await isConnected("lamp")).toBe(true);
    },
  });
  expect(report.requests).toBeGreaterThan(5);
});

test("a thing that moved to another server stays connected, however late the first one's requests are", async () => {
  await pauseAtEvery({
    setup: fleet,
    async paused(port, { server }) {
      const log = server("a", port);
      const connection = log.connected("lamp");
      await connection.ended(lost);
    },
    async meanwhile(port, { server, clock }) {
      await clock.advance(1);
      await connected(server("b", port), "lamp");
    },
    async check({ isConnected }) {
      expect(await isConnected("lamp")).toBe(true);
    },
  });
});

test("after an outage longer than the lease, what is still connected is stored again", async () => {
  const { port, clock, server, isConnected, read } = await fleet();
  let isDown = false;
  const flaky = wrapPort(port, (operation, input, options, next) =>
    isDown
      ? Promise.reject(new DynamoError({ exception: "InternalServerError", serviceMessage: "down" }))
      : next(operation, input, options),
  );
  const log = server("a", flaky);
  const lamp = await connected(log, "lamp");
  await connected(log, "fan");
  isDown = true;
  void lamp.ended(lost);
  await clock.advance(60_000);
  expect(await isConnected("fan")).toBe(false);
  isDown = false;
  await clock.advance(10_000);
  expect(await isConnected("fan")).toBe(true);
  expect(await isConnected("lamp")).toBe(false);
  expect(await read("fan")).toMatchObject({ connectedAt: 1_000_000, version: 1 });
});

test("a second server with the same name takes over, and the first one no longer stores anything", async () => {
  const { clock, server, isConnected } = await fleet();
  const old = server("a");
  await connected(old, "lamp");
  const next = server("a");
  await next.start();
  await connected(next, "fan");
  await clock.advance(15_000);
  old.connected("door");
  await clock.advance(15_000);
  expect([await isConnected("lamp"), await isConnected("fan"), await isConnected("door")]).toEqual([
    false,
    true,
    false,
  ]);
});

test("queries find things by whether they are connected", async () => {
  const { port, clock, table, server } = await fleet();
  const manager = openShadowManager(port, { table, clock });
  const firmware = { old: "2.0", new: "2.1", away: "1.9", never: "1.0" };
  for (const [id, version] of Object.entries(firmware))
    unwrap(await manager.report({ id, state: { firmware: version } }));
  const log = server("a");
  const away = await connected(log, "away");
  await away.ended({ reason: "MQTT_KEEP_ALIVE_TIMEOUT", willPublished: false });
  for (const id of ["old", "new"]) await connected(log, id);
  const search = async (query: string) =>
    (await manager.search({ query })).shadows.map(({ id }) => id).toSorted();
  expect(await search('reported.firmware < "2.1" and connected')).toEqual(["old"]);
  expect(await search("connected")).toEqual(["new", "old"]);
  expect(await search("not connected")).toEqual(["away", "never"]);
  expect(await search("connected = false and connectivity exists")).toEqual(["away"]);
  expect(await search('connectivity.reason = "MQTT_KEEP_ALIVE_TIMEOUT"')).toEqual(["away"]);
  expect(await search('connectivity.connectedAt < "1970-01-02" and connectivity.version = 1')).toEqual([
    "away",
    "new",
    "old",
  ]);
  const [found] = (await manager.search({ query: 'connected and thing = "old"' })).shadows;
  expect(found?.connectivity).toEqual({ connected: true, connectedAt: 1_000_000, version: 1 });
  await expect(manager.search({ query: "connected.since > 1" })).rejects.toMatchObject({
    code: "SHADOW_QUERY_INVALID",
  });
});

test("a thing that connects shortly before the end of an unused lease stays connected", async () => {
  const { clock, server, isConnected } = await fleet();
  const log = server("a");
  const first = await connected(log, "lamp");
  await clock.advance(5_000);
  await first.ended(lost);
  // The lease is not renewed while nothing is connected; it ends after 30 seconds.
  await clock.advance(24_000);
  await Promise.all([connected(log, "lamp"), connected(log, "fan")]);
  for (let second = 0; second < 40; second++) {
    expect([second, await isConnected("lamp"), await isConnected("fan")]).toEqual([second, true, true]);
    await clock.advance(1_000);
  }
});
