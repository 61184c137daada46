import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import type { IClientOptions } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import { messagesOf, packetClient, until } from "../../../test/shadow/packet-client.ts";
import { receivedBy, startBroker } from "../../../test/shadow/start-broker.ts";
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

  test("messages that were sent and not acknowledged have the same ids, and are marked as repeated", async () => {
    const { broker } = await openTable();
    const connect = async (port: number) => {
      const client = await packetClient(port);
      client.send({ cmd: "connect", clientId: "device", clean: false, keepalive: 0 });
      await client.first("connack");
      return client;
    };
    const first = await broker();
    const device = await connect(first.port);
    device.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "news", qos: 1 }] });
    await device.first("suback");
    for (const payload of ["1", "2", "3"]) await first.broker.publish({ topic: "news", payload, qos: 1 });
    await until(() => messagesOf(device) === 3);
    device.send({ cmd: "puback", messageId: 1 });
    await device.ping();
    await first.broker.close();
    const second = await broker();
    await second.broker.publish({ topic: "news", payload: "4", qos: 1 });
    const back = await connect(second.port);
    await until(() => messagesOf(back) === 3);
    const packets = back.received.flatMap((packet) => (packet.cmd === "publish" ? [packet] : []));
    expect(packets.map(({ messageId, dup, payload }) => [messageId, dup, String(payload)])).toEqual([
      [2, true, "2"],
      [3, true, "3"],
      [4, false, "4"],
    ]);
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
