import { ensureTable } from "@tablekeep/client";
import { type Clock, silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import type { IClientOptions } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { messagesOf, type PacketClient, packetClient, until } from "../../../../test/shadow/packet-client.ts";
import { receivedBy, startBroker } from "../../../../test/shadow/start-broker.ts";
import { tableSessionStore } from "./table-session-store.ts";
import { WriteBehind } from "./write-behind.ts";

const table = "sessions";
const shared = { table, clock: systemClock, logger: silentLogger };

async function openTable() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec(table));
  const items = async () => (await engine.scan({ TableName: table })).Items?.length;
  const broker = () => startBroker({ store: tableSessionStore({ ...shared, port: engine, name: "b" }) });
  return { engine, items, broker };
}

const lasting: IClientOptions = {
  clientId: "device",
  clean: false,
  properties: { sessionExpiryInterval: 3600 },
};

describe("after a restart of the broker", () => {
  test("a client continues its session, with every message and its properties", async () => {
    const { broker, items } = await openTable();
    const first = await broker();
    const device = await first.client(lasting);
    await device.subscribeAsync({ news: { qos: 1 }, "$share/g/shared": { qos: 1 } });
    await device.endAsync(true);
    const properties = {
      correlationData: Buffer.from([0, 255]),
      userProperties: { a: ["1", "2"] },
      contentType: "x",
    };
    const sender = await first.client();
    await sender.publishAsync("news", "1", { qos: 1, properties });
    await sender.publishAsync("shared", "2", { qos: 1 });
    await sender.publishAsync("kept", "3", { qos: 1, retain: true });
    await sender.publishAsync("kept/not", "4", { qos: 1, retain: true });
    await sender.publishAsync("kept/not", "", { qos: 1, retain: true });
    // The first broker is left as a crash leaves it.
    expect(await items()).toBe(4);
    const second = await broker();
    const back = second.waiting(lasting);
    const received = receivedBy(back);
    const connected = new Promise((resolve) =>
      back.once("connect", (packet) => resolve(packet.sessionPresent)),
    );
    back.connect();
    expect(await connected).toBe(true);
    await until(() => received.length === 2);
    expect(received).toMatchObject([{ payload: "1", properties }, { payload: "2" }]);
    await back.subscribeAsync("kept/#", { qos: 1 });
    await until(() => received.length === 3);
    expect(received[2]).toMatchObject({ payload: "3", retain: true });
    // Acknowledged messages are removed.
    await until(async () => (await items()) === 2);
    await back.endAsync(false, { properties: { sessionExpiryInterval: 0 } });
    await until(async () => (await items()) === 1);
  });

  test("the session of a client that may no longer connect receives nothing and expires, unless the client may connect again", async () => {
    const { engine, items } = await openTable();
    const warnings: unknown[] = [];
    const warn = (message: string, fields?: object) => void warnings.push([message, fields]);
    const access = { mayPublish: () => true, maySubscribe: () => true, mayReceive: () => true };
    const broker = (deniedClient?: string, clock: Clock = systemClock) =>
      startBroker({
        store: tableSessionStore({ ...shared, port: engine, name: "b" }),
        clock,
        logger: { ...silentLogger, warn },
        guard: {
          signIn: async () => ({}),
          accessOf: ({ clientId }) => (clientId === deniedClient ? undefined : access),
        },
      });
    const first = await broker();
    for (const clientId of ["device", "other"]) {
      const device = await first.client({ ...lasting, clientId });
      await device.subscribeAsync({ news: { qos: 1 } });
      await device.endAsync();
    }
    await first.broker.publish({ topic: "news", payload: "1", qos: 1 });
    expect(await items()).toBe(4);

    const second = await broker("device");
    expect(warnings).toEqual([[expect.any(String), { count: 1, clients: ["device"] }]]);
    await expect(second.client(lasting)).rejects.toThrow();
    await second.broker.publish({ topic: "news", payload: "2", qos: 1 });
    expect(await items()).toBe(5);

    const third = await broker();
    const back = third.waiting(lasting);
    const received = receivedBy(back);
    back.connect();
    await until(() => received.length === 1);
    await third.broker.publish({ topic: "news", payload: "3", qos: 1 });
    await until(() => received.length === 2);
    expect(received.map(({ payload }) => payload)).toEqual(["1", "3"]);
    await back.endAsync();
    await third.broker.publish({ topic: "news", payload: "4", qos: 1 });

    await third.broker.close();
    const clock = fakeClock({ startAt: Date.now() });
    await broker("device", clock);
    expect(await items()).toBeGreaterThan(0);
    await clock.advance(3_600_000);
    await until(async () => (await items()) === 0);
  });

  test("queued messages that a client may no longer receive are dropped, and the others delivered", async () => {
    const { engine, items } = await openTable();
    const warnings: unknown[] = [];
    const warn = (message: string, fields?: object) => void warnings.push([message, fields]);
    const broker = (hidden?: string) =>
      startBroker({
        store: tableSessionStore({ ...shared, port: engine, name: "b" }),
        logger: { ...silentLogger, warn },
        guard: {
          signIn: async () => ({}),
          accessOf: () => ({
            mayPublish: () => true,
            maySubscribe: () => true,
            mayReceive: (topic) => topic !== hidden,
          }),
        },
      });
    const first = await broker();
    const device = await first.client(lasting);
    await device.subscribeAsync("news/+", { qos: 1 });
    await device.endAsync();
    for (const topic of ["news/a", "news/b", "news/a", "news/c"])
      await first.broker.publish({ topic, payload: topic, qos: 1 });
    expect(await items()).toBe(5);

    const second = await broker("news/a");
    expect(warnings).toEqual([[expect.any(String), { client: "device", count: 2 }]]);
    await until(async () => (await items()) === 3);
    const back = second.waiting(lasting);
    const received = receivedBy(back);
    back.connect();
    await until(() => received.length === 2);
    expect(received).toMatchObject([
      { topic: "news/b", dup: false },
      { topic: "news/c", dup: false },
    ]);
    await until(async () => (await items()) === 1);
  });

  describe("messages that were sent and not acknowledged have the same ids, and are marked as repeated", () => {
    const connect = async (port: number) => {
      const client = await packetClient(port);
      client.send({ cmd: "connect", clientId: "device", clean: false, keepalive: 0 });
      await client.first("connack");
      return client;
    };
    const subscribed = async (port: number) => {
      const device = await connect(port);
      device.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "news", qos: 1 }] });
      await device.first("suback");
      return device;
    };
    const send = async ({ broker }: Awaited<ReturnType<typeof startBroker>>, ...payloads: string[]) => {
      for (const payload of payloads) await broker.publish({ topic: "news", payload, qos: 1 });
    };
    const publishesOf = (client: PacketClient) =>
      client.received
        .flatMap((packet) => (packet.cmd === "publish" ? [packet] : []))
        .map(({ messageId, dup, payload }) => [messageId, dup, String(payload)]);

    test("after a stop, and others are not", async () => {
      const { broker } = await openTable();
      const first = await broker();
      const device = await subscribed(first.port);
      await send(first, "1", "2", "3");
      await until(() => messagesOf(device) === 3);
      device.send({ cmd: "puback", messageId: 1 });
      await device.ping();
      await first.broker.close();
      const second = await broker();
      await send(second, "4");
      const back = await connect(second.port);
      await until(() => messagesOf(back) === 3);
      expect(publishesOf(back)).toEqual([
        [2, true, "2"],
        [3, true, "3"],
        [4, false, "4"],
      ]);
    });

    test("after a crash and further starts without the client", async () => {
      const { broker } = await openTable();
      const first = await broker();
      const device = await subscribed(first.port);
      await send(first, "1", "2");
      await until(() => messagesOf(device) === 2);
      // The first broker is left as a crash leaves it.
      const second = await broker();
      await send(second, "3");
      await second.broker.close();
      const third = await broker();
      await send(third, "4");
      const back = await connect(third.port);
      await until(() => messagesOf(back) === 4);
      expect(publishesOf(back)).toEqual([
        [1, true, "1"],
        [2, true, "2"],
        [3, false, "3"],
        [4, false, "4"],
      ]);
    });

    test("but not a message that came after all earlier ones were acknowledged", async () => {
      const { broker } = await openTable();
      const first = await broker();
      const device = await subscribed(first.port);
      const sending = send(first, "1", "2");
      for (const messageId of [1, 2]) {
        await until(() => messagesOf(device) === messageId);
        device.send({ cmd: "puback", messageId });
      }
      await sending;
      await first.broker.close();
      const second = await broker();
      await send(second, "3");
      await second.broker.close();
      const third = await broker();
      const back = await connect(third.port);
      await until(() => messagesOf(back) === 1);
      expect(publishesOf(back)).toEqual([[1, false, "3"]]);
    });
  });
});

describe("a client whose session has ended", () => {
  const named = (clientId: string, expiry: number): IClientOptions => ({
    clientId,
    clean: false,
    // Time passes at once, so a client must not be expected to ping.
    keepalive: 1200,
    properties: { sessionExpiryInterval: expiry },
  });
  const connectAs = async ({ waiting }: Awaited<ReturnType<typeof startBroker>>, options: IClientOptions) => {
    const client = waiting(options);
    const received = receivedBy(client);
    const connected = new Promise<boolean>((resolve) =>
      client.once("connect", ({ sessionPresent }) => resolve(sessionPresent)),
    );
    client.connect();
    return { client, received, isPresent: await connected };
  };

  test.each(["while the server was down", "at the moment of a crash"])(
    "gets none of its messages later: the session ended %s",
    async (moment) => {
      const { engine } = await openTable();
      const [before, after] = [fakeClock(), fakeClock()];
      await after.advance(61_000);
      let isCrashing = false;
      const port = wrapPort(engine, (operation, input, options, next) => {
        const isOfMessages = JSON.stringify(input).includes("MQ#b#messages#");
        // The session is removed, and its messages are not any more.
        if (isCrashing && isOfMessages) return new Promise<never>(() => {});
        return next(operation, input, options);
      });
      const start = (on: typeof port, clock: Clock) =>
        startBroker({
          clock,
          store: tableSessionStore({ table, clock, logger: silentLogger, port: on, name: "b" }),
        });
      const first = await start(port, before);
      const away = await first.client(named("device", 60));
      await away.subscribeAsync("news", { qos: 1 });
      await away.endAsync(true);
      await until(() => first.broker.clients() === 0);
      for (const payload of ["old 1", "old 2"])
        await first.broker.publish({ topic: "news", payload, qos: 1 });
      isCrashing = moment === "at the moment of a crash";
      const sessionItems = async () =>
        (await engine.scan({ TableName: table })).Items?.filter(({ PK }) => PK?.S === "MQ#b#sessions").length;
      if (isCrashing) {
        await before.advance(61_000);
        await until(async () => (await sessionItems()) === 0);
      } else await first.broker.close();
      const second = await start(engine, after);
      const { client, isPresent } = await connectAs(second, named("device", 3600));
      expect(isPresent).toBe(false);
      await client.subscribeAsync("news", { qos: 1 });
      await client.endAsync(true);
      await until(() => second.broker.clients() === 0);
      await second.broker.publish({ topic: "news", payload: "new", qos: 1 });
      await second.broker.close();
      const third = await start(engine, after);
      const back = await connectAs(third, named("device", 3600));
      expect(back.isPresent).toBe(true);
      await back.client.subscribeAsync("other", { qos: 1 });
      expect(back.received.map(({ payload }) => payload)).toEqual(["new"]);
    },
  );

  test("leaves its messages of a shared subscription to another one, even after the server was down", async () => {
    const { engine, items } = await openTable();
    const [before, after] = [fakeClock(), fakeClock()];
    await after.advance(61_000);
    const start = (clock: Clock) =>
      startBroker({
        clock,
        store: tableSessionStore({ table, clock, logger: silentLogger, port: engine, name: "b" }),
      });
    const first = await start(before);
    for (const [clientId, expiry] of [
      ["short", 60],
      ["long", 3600],
    ] as const) {
      const away = await first.client(named(clientId, expiry));
      await away.subscribeAsync("$share/g/jobs", { qos: 1 });
      await away.endAsync(true);
    }
    await until(() => first.broker.clients() === 0);
    for (const payload of ["1", "2", "3", "4"])
      await first.broker.publish({ topic: "jobs", payload, qos: 1 });
    await first.broker.close();
    const second = await start(after);
    const { received } = await connectAs(second, named("long", 3600));
    await until(() => received.length === 4);
    expect(received.map(({ payload }) => payload).toSorted()).toEqual(["1", "2", "3", "4"]);
    await until(async () => (await items()) === 1);
  });
});

test("a message is acknowledged only once it is stored for sessions that last", async () => {
  const { engine } = await openTable();
  const held: (() => void)[] = [];
  let isHeld = false;
  const port = wrapPort(engine, async (operation, input, options, next) => {
    if (isHeld && /^batchWriteItem$/i.test(operation))
      await new Promise<void>((resolve) => held.push(resolve));
    return next(operation, input, options);
  });
  const { client, broker } = await startBroker({ store: tableSessionStore({ ...shared, port, name: "b" }) });
  const device = await client(lasting);
  await device.subscribeAsync("news", { qos: 1 });
  await device.endAsync(true);
  await until(() => broker.clients() === 0);
  isHeld = true;
  const sender = await client();
  let isAcknowledged = false;
  const published = sender.publishAsync("news", "1", { qos: 1 }).then(() => {
    isAcknowledged = true;
  });
  await until(() => held.length === 1);
  await sender.subscribeAsync("other");
  expect(isAcknowledged).toBe(false);
  isHeld = false;
  for (const release of held) release();
  await published;
});

test("an item that is removed before its write starts is never written", async () => {
  const { engine, items } = await openTable();
  let writes = 0;
  const port = wrapPort(engine, (operation, input, options, next) => {
    writes++;
    return next(operation, input, options);
  });
  const writer = new WriteBehind({ ...shared, port });
  const key = (sort: string) => ({ PK: { S: "p" }, SK: { S: sort } });
  const first = writer.put(key("1"));
  void writer.remove(key("1"), { isNew: true });
  await first;
  await writer.flush();
  expect([writes, await items()]).toEqual([0, 0]);
  await writer.put(key("2"));
  await writer.remove(key("2"), { isNew: true });
  const puts = [writer.put({ ...key("3"), at: { N: "1" } }), writer.put({ ...key("3"), at: { N: "2" } })];
  await Promise.all(puts);
  expect([writes, await items()]).toEqual([3, 1]);
});
