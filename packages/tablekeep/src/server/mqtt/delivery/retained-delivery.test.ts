import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectedClient, messagesOf, payloadsOf, until } from "../../../../test/shadow/packet-client.ts";
import { receivedBy, startBroker as start } from "../../../../test/shadow/start-broker.ts";
import { tableSessionStore } from "../sessions/table-session-store.ts";

/** Limits under which two messages are sent before one is acknowledged. */
const few = { unacknowledged: 20 };

describe("a client that subscribes to many retained messages", () => {
  test.each([0, 1] as const)("receives all of them, as fast as it reads them: QoS %i", async (qos) => {
    const limits = { unsentBytes: 1_048_576, queuedBytes: 1_048_576, unacknowledged: 500 };
    const { client, broker } = await start({ limits });
    const count = 3_000;
    for (let at = 0; at < count; at++)
      void broker.publish({ topic: `kept/${at}`, payload: "x".repeat(10_000), qos: 1, retain: true });
    const subscriber = await client();
    const received = receivedBy(subscriber);
    await subscriber.subscribeAsync("kept/#", { qos });
    await until(() => received.length === count || !subscriber.connected);
    expect(new Set(received.map(({ topic }) => topic)).size).toBe(count);
    expect(received.every(({ retain }) => retain)).toBe(true);
  });

  test("receives those that are replaced, removed or added meanwhile as they are published", async () => {
    const { port, broker } = await start({ limits: few });
    const retain = (topic: string, payload: string) =>
      void broker.publish({ topic, payload, qos: 1, retain: true });
    for (const at of [0, 1, 2, 3, 4, 5]) retain(`kept/${at}`, `old ${at}`);
    const client = await connectedClient(port, { filters: ["kept/#"] });
    await until(() => messagesOf(client) === 2);
    retain("kept/3", "new 3");
    retain("kept/4", "");
    retain("kept/6", "new 6");
    for (let id = 1; id <= 7; id++) {
      await until(() => messagesOf(client) >= id);
      client.send({ cmd: "puback", messageId: id });
    }
    await client.ping();
    expect(payloadsOf(client)).toEqual(["old 0", "old 1", "new 3", "", "new 6", "old 2", "old 5"]);
  });

  test("receives them again from the beginning when it subscribes again, and no more when it unsubscribes", async () => {
    const { port, broker } = await start({ limits: few });
    for (const at of [0, 1, 2, 3])
      void broker.publish({ topic: `kept/${at}`, payload: `${at}`, qos: 1, retain: true });
    const client = await connectedClient(port, { filters: ["kept/#"] });
    await until(() => messagesOf(client) === 2);
    client.send({ cmd: "subscribe", messageId: 2, subscriptions: [{ topic: "kept/#", qos: 1 }] });
    await client.ping();
    for (const messageId of [1, 2]) client.send({ cmd: "puback", messageId });
    await until(() => messagesOf(client) === 4);
    client.send({ cmd: "unsubscribe", messageId: 3, unsubscriptions: ["kept/#"] });
    for (const messageId of [3, 4]) client.send({ cmd: "puback", messageId });
    await client.ping();
    expect(payloadsOf(client)).toEqual(["0", "1", "0", "1"]);
  });

  test("receives the others when it continues a session whose connection broke", async () => {
    const { port, broker } = await start({ limits: few });
    for (const at of [0, 1, 2, 3])
      void broker.publish({ topic: `kept/${at}`, payload: `${at}`, qos: 1, retain: true });
    const session = { clientId: "lasting", clean: false };
    const first = await connectedClient(port, { ...session, filters: ["kept/#"] });
    await until(() => messagesOf(first) === 2);
    first.socket.destroy();
    await until(() => broker.clients() === 0);
    const second = await connectedClient(port, session);
    await until(() => messagesOf(second) === 4);
    expect(payloadsOf(second)).toEqual(["0", "1", "2", "3"]);
  });
});

test("a topic whose last message was too large to be retained has none, even after a restart", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec("retained"));
  const options = { port: engine, table: "retained", name: "b", clock: systemClock, logger: silentLogger };
  const open = (retainedBytes: number) =>
    start({ limits: { retainedBytes }, store: tableSessionStore(options) });
  const { broker } = await open(1_000);
  for (const payload of ["old", "x".repeat(2_000)])
    await broker.publish({ topic: "kept", payload, qos: 1, retain: true });
  expect(broker.retained.all(0)).toEqual([]);
  await broker.close();
  expect((await open(10_000)).broker.retained.all(0)).toEqual([]);
});
