import { ClientError, ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectedClient, messagesOf, publish, until } from "../../../../test/shadow/packet-client.ts";
import { startBroker } from "../../../../test/shadow/start-broker.ts";
import { tableSessionStore } from "./table-session-store.ts";
import { WriteBehind } from "./write-behind.ts";

const table = "sessions";

/** A table whose batches are counted and wait for `gate`. While `fault` is set, they are lost before or after they are applied. */
async function openTable() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec(table));
  const state: { writes: number; fault?: "not applied" | "applied"; gate?: Promise<void> } = { writes: 0 };
  const port = wrapPort(engine, async (operation, input, options, next) => {
    if (!/^batchWriteItem$/i.test(operation)) return next(operation, input, options);
    state.writes++;
    await state.gate;
    if (state.fault === "not applied") throw lost();
    const answer = await next(operation, input, options);
    if (state.fault === "applied") throw lost();
    return answer;
  });
  const sortKeys = async () =>
    ((await engine.scan({ TableName: table })).Items ?? []).map(({ SK }) => SK?.S).toSorted();
  const messages = async () => (await sortKeys()).filter((sort) => sort?.startsWith("000")).length;
  return { port, state, sortKeys, messages };
}

function lost(): ClientError {
  const details = { attempts: 1, deadlineMs: 10_000 };
  return new ClientError("CLIENT_DEADLINE_EXCEEDED", "deadline exceeded", details, { ambiguous: true });
}

const device = { clientId: "device", clean: false, filters: ["news"] } as const;
const isAcknowledged = (client: { readonly received: readonly { readonly cmd: string }[] }) =>
  client.received.some(({ cmd }) => cmd === "puback");

describe("a message to a connected client with a lasting session", () => {
  async function start() {
    const { port, ...rest } = await openTable();
    const clock = fakeClock();
    const store = tableSessionStore({ table, clock, logger: silentLogger, port, name: "b" });
    const { broker, port: mqttPort } = await startBroker({ store });
    const receiver = await connectedClient(mqttPort, device);
    const sender = await connectedClient(mqttPort, { clientId: "sender" });
    return { ...rest, clock, broker, receiver, sender };
  }

  test("is never written if the client acknowledges it at once", async () => {
    const { state, sender, receiver, clock, messages } = await start();
    const before = state.writes;
    sender.send(publish("news", "1", 1));
    await until(() => messagesOf(receiver) === 1);
    await sender.ping();
    expect(isAcknowledged(sender)).toBe(false);
    receiver.send({ cmd: "puback", messageId: 1 });
    await sender.first("puback");
    await clock.advance(1_000);
    await sender.ping();
    expect([state.writes - before, await messages()]).toEqual([0, 0]);
  });

  test("is written otherwise, before its publisher is acknowledged", async () => {
    const { state, sender, receiver, clock, messages } = await start();
    state.fault = "not applied";
    const before = state.writes;
    sender.send(publish("news", "1", 1));
    await until(() => messagesOf(receiver) === 1);
    await clock.advance(100);
    await until(() => state.writes > before);
    await sender.ping();
    expect(isAcknowledged(sender)).toBe(false);
    state.fault = undefined;
    await until(async () => {
      await clock.advance(100);
      return isAcknowledged(sender);
    });
    expect(await messages()).toBe(1);
    receiver.send({ cmd: "puback", messageId: 1 });
    await until(async () => (await messages()) === 0);
  });

  test("is written when the broker stops", async () => {
    const { sender, receiver, broker, messages } = await start();
    sender.send(publish("news", "1", 1));
    await until(() => messagesOf(receiver) === 1);
    await broker.close();
    expect(await messages()).toBe(1);
  });
});

test("while the table is unavailable, clients stay connected, and wait for acknowledgments", async () => {
  const { port, state, messages } = await openTable();
  const clock = fakeClock();
  const store = tableSessionStore({ table, clock, logger: silentLogger, port, name: "b" });
  const { broker, port: mqttPort } = await startBroker({ store });
  const away = await connectedClient(mqttPort, device);
  away.socket.destroy();
  const sender = await connectedClient(mqttPort, { clientId: "sender" });
  await until(() => broker.clients() === 1);
  await store.flush();
  state.fault = "not applied";
  const before = state.writes;
  sender.send(publish("news", "1", 1));
  // A client that connects waits as well.
  const back = connectedClient(mqttPort, { clientId: "other", clean: false });
  await until(async () => {
    await clock.advance(1_000);
    return state.writes - before >= 8;
  });
  await sender.ping();
  expect([isAcknowledged(sender), broker.clients()]).toEqual([false, 2]);
  state.fault = undefined;
  await until(async () => {
    await clock.advance(1_000);
    return isAcknowledged(sender);
  });
  await back;
  expect(await messages()).toBe(1);
});

describe("a write", () => {
  const key = (sort: string) => ({ PK: { S: "p" }, SK: { S: sort } });

  test("that may have been applied is undone by a removal", async () => {
    const { port, state, sortKeys } = await openTable();
    const clock = fakeClock();
    const writer = new WriteBehind({ table, port, clock, logger: silentLogger });
    state.fault = "applied";
    const put = writer.put(key("1"));
    await until(async () => (await sortKeys()).length === 1);
    await writer.flush();
    state.fault = undefined;
    void writer.remove(key("1"), { isNew: true });
    await put;
    await writer.flush();
    expect(await sortKeys()).toEqual([]);
  });

  test("of an item that was written again meanwhile is not repeated", async () => {
    const { port, state, sortKeys } = await openTable();
    const writer = new WriteBehind({ table, port, clock: fakeClock(), logger: silentLogger });
    state.fault = "not applied";
    const first = writer.put(key("1"));
    await until(() => state.writes === 1);
    const removed = writer.remove(key("1"));
    const other = writer.put(key("2"));
    await writer.flush();
    state.fault = undefined;
    await writer.flush();
    await Promise.all([first, removed, other]);
    expect(await sortKeys()).toEqual(["2"]);
  });

  test("that waits behind hundreds of others can still be dropped", async () => {
    const { port, state, sortKeys } = await openTable();
    const writer = new WriteBehind({ table, port, clock: systemClock, logger: silentLogger });
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    const puts = Array.from({ length: 1_000 }, (_, index) => writer.put(key(String(index))));
    await until(() => state.writes > 0);
    for (let index = 500; index < 1_000; index++) void writer.remove(key(String(index)), { isNew: true });
    open();
    await Promise.all(puts);
    await writer.flush();
    expect([state.writes, (await sortKeys()).length]).toEqual([20, 500]);
  });

  test("that replaces a removal in the queue is removed itself, if it is removed", async () => {
    const { port, state, sortKeys } = await openTable();
    const writer = new WriteBehind({ table, port, clock: systemClock, logger: silentLogger });
    await writer.put(key("1"));
    let open = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = state.writes;
    void writer.put(key("2"));
    await until(() => state.writes > before);
    void writer.remove(key("1"));
    void writer.put(key("1"));
    void writer.remove(key("1"), { isNew: true });
    open();
    await writer.flush();
    expect(await sortKeys()).toEqual(["2"]);
  });

  test("that is rejected rejects, and the next one is written", async () => {
    const { port, sortKeys } = await openTable();
    const writer = new WriteBehind({ table, port, clock: systemClock, logger: silentLogger });
    await expect(writer.put({ ...key("1"), bad: { N: "x" } })).rejects.toMatchObject({ kind: "invalid" });
    await writer.put(key("2"));
    expect(await sortKeys()).toEqual(["2"]);
  });
});
