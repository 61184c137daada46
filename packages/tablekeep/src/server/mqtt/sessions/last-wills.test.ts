import { ensureTable } from "@tablekeep/client";
import { silentLogger } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import type { IClientOptions } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/shadow/packet-client.ts";
import { receivedBy, startBroker } from "../../../../test/shadow/start-broker.ts";
import { tableSessionStore } from "./table-session-store.ts";

// Time passes at once, so a client must not be expected to ping.
const keepalive = 1200;

function withWill(clientId: string, delay = 0, options: IClientOptions = {}): IClientOptions {
  const properties = { willDelayInterval: delay, messageExpiryInterval: 90, contentType: "x" };
  return {
    clientId,
    keepalive,
    will: { topic: "wills", payload: Buffer.from(clientId), qos: 1, retain: false, properties },
    ...options,
  };
}

const lasting = { clean: false, properties: { sessionExpiryInterval: 600 } } as const;

/** Brokers on one table. Each is left as a crash leaves it, and the next one starts. */
async function openTable() {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  const table = "sessions";
  await ensureTable(engine, shadowTableSpec(table));
  const store = { table, clock, logger: silentLogger, port: engine, name: "b" };
  const items = async () => (await engine.scan({ TableName: table })).Items?.length;
  const broker = () => startBroker({ clock, store: tableSessionStore(store) });
  /** A broker with a subscriber to the wills. */
  const listening = async () => {
    const started = await broker();
    const listener = await started.client({ keepalive });
    const received = receivedBy(listener);
    await listener.subscribeAsync("wills", { qos: 1 });
    return { ...started, received };
  };
  return { clock, items, broker, listening };
}

test("the will of a client that does not come back is published after a crash of the server", async () => {
  const { clock, items, broker, listening } = await openTable();
  const first = await broker();
  await first.client(withWill("gone"));
  await first.client(withWill("slow", 100, lasting));
  await first.client(withWill("back"));
  await first.client(withWill("back-to-its-session", 0, lasting));
  const polite = await first.client(withWill("polite"));
  await polite.endAsync();
  // Four wills and two sessions.
  await until(async () => (await items()) === 6);
  const second = await listening();
  await second.client({ clientId: "back", keepalive });
  await second.client(withWill("back-to-its-session", 0, lasting));
  await clock.advance(29_000);
  expect(second.received).toEqual([]);
  await clock.advance(2_000);
  await until(() => second.received.length === 1);
  await clock.advance(100_000);
  await until(() => second.received.length === 2);
  const properties = { contentType: "x", messageExpiryInterval: 90 };
  expect(second.received).toMatchObject([
    { payload: "gone", properties },
    { payload: "slow", properties },
  ]);
  // The will of the connected client and two sessions.
  await until(async () => (await items()) === 3);
});

test("a published will is not published again by the next start", async () => {
  const { clock, items, listening } = await openTable();
  const first = await listening();
  const cut = await first.client(withWill("cut"));
  cut.stream.destroy();
  await until(() => first.received.length === 1);
  await until(async () => (await items()) === 0);
  const second = await listening();
  await clock.advance(60_000);
  const marker = await second.client({ keepalive });
  await marker.publishAsync("wills", "marker", { qos: 1 });
  await until(() => second.received.length === 1);
  expect(second.received).toMatchObject([{ payload: "marker" }]);
});

test("a delay that began before the crash ends when it would have ended", async () => {
  const { clock, items, broker, listening } = await openTable();
  const first = await broker();
  const cut = await first.client(withWill("cut", 300, lasting));
  cut.stream.destroy();
  await until(() => first.broker.clients() === 0);
  await clock.advance(200_000);
  expect(await items()).toBe(2);
  await first.broker.close();
  const second = await listening();
  await clock.advance(99_000);
  expect(second.received).toEqual([]);
  await clock.advance(2_000);
  await until(() => second.received.length === 1);
});
