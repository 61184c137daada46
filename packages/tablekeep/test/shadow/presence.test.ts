/** Whether things are connected: by real clients, over HTTP and AWS's lifecycle events. */
import { fakeClock } from "@tablekeep/testkit";
import { connectAsync, type IClientOptions } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConnectionEnd } from "../../src/server/mqtt/connection-listener.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { connectedClient, until } from "./packet-client.ts";
import { startBroker } from "./start-broker.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ mail: false, journals: [], dynamodb: false });
});
afterAll(() => server.stop());

const mqttUrl = () => server.mqttUrl ?? "";

async function read(path: string): Promise<Record<string, unknown>> {
  return (await fetch(new URL(path, server.url))).json() as Promise<Record<string, unknown>>;
}

const connectivity = (thing: string) => read(`/api/v3/shadows/${thing}/connectivity`);
const isAway = (thing: string) => until(async () => (await connectivity(thing))["connected"] === false);

async function client(clientId: string, options: IClientOptions = {}) {
  const connected = await connectAsync(mqttUrl(), { clientId, reconnectPeriod: 0, ...options }, false);
  connected.on("error", () => {});
  return connected;
}

test("a thing is connected while a client with its name is, and the reason of each end is stored", async () => {
  expect(await connectivity("lamp")).toEqual({ connected: false });
  const body = JSON.stringify({ reported: { firmware: "2.0" } });
  await fetch(new URL("/api/v3/shadows/lamp", server.url), { method: "PATCH", body });
  const will = { topic: "wills", payload: Buffer.from("gone"), qos: 1 as const, retain: false };

  const polite = await client("lamp");
  await until(async () => (await connectivity("lamp"))["connected"] === true);
  const query = encodeURIComponent('reported.firmware < "2.1" and connected');
  const found = (await read(`/api/v3/shadows?query=${query}`)) as { shadows: object[] };
  expect(found.shadows).toMatchObject([{ thing: "lamp", connectivity: { connected: true, version: 1 } }]);
  await polite.endAsync();
  await isAway("lamp");
  const ended = await connectivity("lamp");
  expect(ended).toMatchObject({ reason: "CLIENT_INITIATED_DISCONNECT", willPublished: false, version: 1 });
  expect(Date.parse(String(ended["disconnectedAt"]))).toBeGreaterThanOrEqual(
    Date.parse(String(ended["connectedAt"])),
  );
  expect(await read(`/api/v3/shadows?query=${query}`)).toEqual({ shadows: [] });

  const cut = await client("cut", { will });
  cut.stream.destroy();
  await until(async () => (await connectivity("cut"))["reason"] === "CONNECTION_LOST");
  expect(await connectivity("cut")).toMatchObject({ connected: false, willPublished: true });

  await client("twice");
  const second = await client("twice");
  await until(async () => (await connectivity("twice"))["version"] === 2);
  expect(await connectivity("twice")).toMatchObject({ connected: true, reason: "DUPLICATE_CLIENTID" });
  await fetch(new URL("/connections/twice", server.url), { method: "DELETE" });
  await isAway("twice");
  expect(await connectivity("twice")).toMatchObject({ reason: "SERVER_INITIATED_DISCONNECT" });
  await second.endAsync(true);

  const bad = await client("bad", { protocolVersion: 5 });
  void bad.publishAsync("$aws/things/lamp/shadow/update/accepted", "{}").catch(() => {});
  await isAway("bad");
  expect(await connectivity("bad")).toMatchObject({ reason: "CLIENT_ERROR" });
});

test("lifecycle events are published once the connection, or its end, is stored", async () => {
  const watcher = await client("watcher");
  const events: Record<string, unknown>[] = [];
  watcher.on("message", (topic, payload) =>
    events.push({ topic, ...(JSON.parse(String(payload)) as Record<string, unknown>) }),
  );
  await watcher.subscribeAsync("$aws/events/presence/+/fan", { qos: 1 });
  const fan = await client("fan");
  await until(() => events.length === 1);
  expect(await connectivity("fan")).toMatchObject({ connected: true });
  await fan.endAsync();
  await until(() => events.length === 2);
  expect(await connectivity("fan")).toMatchObject({ connected: false });
  const facts = { clientId: "fan", versionNumber: 1, ipAddress: "127.0.0.1" };
  expect(events).toMatchObject([
    { topic: "$aws/events/presence/connected/fan", eventType: "connected", ...facts },
    {
      topic: "$aws/events/presence/disconnected/fan",
      eventType: "disconnected",
      clientInitiatedDisconnect: true,
      disconnectReason: "CLIENT_INITIATED_DISCONNECT",
      sessionIdentifier: events[0]?.["sessionIdentifier"],
      ...facts,
    },
  ]);
  await watcher.endAsync();
});

test("a client that is silent for too long, and one whose server stops, have their own causes", async () => {
  const clock = fakeClock();
  const ends: Record<string, ConnectionEnd> = {};
  const { broker, port } = await startBroker({
    clock,
    onConnected:
      ({ clientId }) =>
      (end) => {
        ends[clientId] = end;
      },
  });
  await connectedClient(port, { clientId: "silent", keepalive: 10 });
  await connectedClient(port, { clientId: "patient", keepalive: 100 });
  await clock.advance(16_000);
  await until(() => ends["silent"] !== undefined);
  await broker.close();
  await until(() => ends["patient"] !== undefined);
  expect(ends).toEqual({
    silent: { cause: "keep-alive", willPublished: false },
    patient: { cause: "stop", willPublished: false },
  });
});
