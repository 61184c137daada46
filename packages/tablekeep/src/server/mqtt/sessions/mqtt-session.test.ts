import { fakeClock } from "@tablekeep/testkit";
import type { IClientOptions } from "mqtt";
import { describe, expect, test } from "vitest";
import { messagesOf, packetClient, publish, until } from "../../../../test/shadow/packet-client.ts";
import { type Received, receivedBy, startBroker as start } from "../../../../test/shadow/start-broker.ts";

describe("a session", () => {
  const lasting = (expiry: number, options: IClientOptions = {}): IClientOptions => ({
    clean: false,
    properties: { sessionExpiryInterval: expiry },
    ...options,
  });
  const four: IClientOptions = { clean: false, protocolVersion: 4 };

  test.each([
    ["3.1.1", four],
    ["5", lasting(3600)],
  ])("of MQTT %s keeps subscriptions and messages while its client is away", async (_version, options) => {
    const { client, waiting } = await start();
    const away = await client({ clientId: "away", ...options });
    await away.subscribeAsync("news", { qos: 1 });
    await away.endAsync(true);
    const sender = await client();
    for (const payload of ["1", "2"]) await sender.publishAsync("news", payload, { qos: 1 });
    await sender.publishAsync("news", "not queued", { qos: 0 });
    const back = waiting({ clientId: "away", ...options });
    const received = receivedBy(back);
    back.connect();
    await until(() => received.length === 2);
    expect(received).toMatchObject([{ payload: "1" }, { payload: "2" }]);
  });

  test("sends unacknowledged messages again, with their ids and marked as repeated, before later ones", async () => {
    const { port, broker } = await start();
    const connect = async (clean: boolean) => {
      const client = await packetClient(port);
      client.send({ cmd: "connect", clientId: "device", clean, keepalive: 0 });
      expect(await client.first("connack")).toMatchObject({
        returnCode: 0,
        sessionPresent: !clean && isKnown,
      });
      return client;
    };
    let isKnown = false;
    const first = await connect(false);
    first.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "news", qos: 1 }] });
    await first.first("suback");
    for (const payload of ["1", "2", "3"]) void broker.publish({ topic: "news", payload, qos: 1 });
    await until(() => messagesOf(first) === 3);
    first.send({ cmd: "puback", messageId: 2 });
    await first.ping();
    first.socket.destroy();
    await until(() => broker.clients() === 0);
    await broker.publish({ topic: "news", payload: "4", qos: 1 });
    isKnown = true;
    const second = await connect(false);
    await until(() => messagesOf(second) === 3);
    const packets = second.received.flatMap((packet) => (packet.cmd === "publish" ? [packet] : []));
    expect(packets.map(({ messageId, dup, payload }) => [messageId, dup, String(payload)])).toEqual([
      [1, true, "1"],
      [3, true, "3"],
      [4, false, "4"],
    ]);
    second.socket.destroy();
    const clean = await connect(true);
    void broker.publish({ topic: "news", payload: "5", qos: 1 });
    await clean.ping();
    expect(messagesOf(clean)).toBe(0);
    clean.send(publish("any", "x", 1));
    await clean.first("puback");
  });

  test("ends when it expires, and its messages do", async () => {
    const clock = fakeClock();
    const { client, waiting, broker } = await start({ clock });
    for (const [clientId, expiry] of [
      ["short", 60],
      ["long", 3600],
    ] as const) {
      const away = await client({ clientId, ...lasting(expiry) });
      await away.subscribeAsync("news", { qos: 1 });
      await away.endAsync(true);
    }
    await until(() => broker.clients() === 0);
    await broker.publish({ topic: "news", payload: "1", qos: 1, expiresAt: clock.now() + 10_000 });
    await broker.publish({ topic: "news", payload: "2", qos: 1, expiresAt: clock.now() + 100_000 });
    await clock.advance(60_000);
    const present: boolean[] = [];
    const received: Received[] = [];
    for (const clientId of ["short", "long"]) {
      const back = waiting({ clientId, ...lasting(60) });
      const seen = receivedBy(back);
      const connected = new Promise<boolean>((resolve) =>
        back.once("connect", (p) => resolve(p.sessionPresent)),
      );
      back.connect();
      present.push(await connected);
      await back.subscribeAsync("other", { qos: 1 });
      received.push(...seen);
    }
    expect(present).toEqual([false, true]);
    expect(received).toMatchObject([{ payload: "2", properties: { messageExpiryInterval: 40 } }]);
  });

  test("drops its oldest messages beyond the limits", async () => {
    const { client, waiting, broker } = await start({ limits: { unacknowledged: 3 } });
    const away = await client({ clientId: "away", ...lasting(3600) });
    await away.subscribeAsync("news", { qos: 1 });
    await away.endAsync(true);
    await until(() => broker.clients() === 0);
    for (const payload of ["1", "2", "3", "4", "5"]) await broker.publish({ topic: "news", payload, qos: 1 });
    const back = waiting({ clientId: "away", ...lasting(3600) });
    const received = receivedBy(back);
    back.connect();
    await until(() => received.length === 3);
    expect(received.map(({ payload }) => payload)).toEqual(["3", "4", "5"]);
  });
});

describe("a last will of MQTT 5", () => {
  // Time passes at once, so a client must not be expected to ping.
  const keepalive = 1200;
  const will = (willDelayInterval: number, payload: string): IClientOptions => ({
    keepalive,
    clean: false,
    properties: { sessionExpiryInterval: 600 },
    will: {
      topic: "wills",
      payload: Buffer.from(payload),
      qos: 1,
      retain: true,
      properties: { willDelayInterval },
    },
  });

  test("waits for the client to come back, at most until its session ends", async () => {
    const clock = fakeClock();
    const { client, broker } = await start({ clock });
    const listener = await client({ keepalive });
    const received = receivedBy(listener);
    await listener.subscribeAsync("wills", { qos: 1, rap: true });
    for (const [clientId, delay] of [
      ["back", 30],
      ["gone", 30],
      ["late", 6000],
    ] as const) {
      const cut = await client({ clientId, ...will(delay, clientId) });
      cut.stream.destroy();
    }
    await until(() => broker.clients() === 1);
    await clock.advance(29_000);
    await client({ clientId: "back", ...will(30, "back") });
    await clock.advance(2_000);
    await until(() => received.length === 1);
    await clock.advance(600_000);
    await until(() => received.length === 2);
    expect(received).toMatchObject([
      { payload: "gone", retain: true },
      { payload: "late", retain: true },
    ]);
  });

  test("is published after a DISCONNECT that asks for it, or reports an error", async () => {
    const { client } = await start();
    const listener = await client();
    const received = receivedBy(listener);
    await listener.subscribeAsync("wills", { qos: 1 });
    for (const [payload, reasonCode] of [
      ["polite", 0],
      ["with will", 4],
      ["failed", 0x80],
    ] as const) {
      const leaving = await client({ clientId: payload, ...will(0, payload) });
      await leaving.endAsync(false, { reasonCode });
    }
    await until(() => received.length === 2);
    expect(received).toMatchObject([{ payload: "with will" }, { payload: "failed" }]);
  });
});
