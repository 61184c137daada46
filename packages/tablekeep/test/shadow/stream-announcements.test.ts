/** Several servers on one table: each announces every change by any writer once, in the order of the versions. */
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { openShadowManager, openShadows, shadowTableSpec } from "@tablekeep/shadow";
import { connect, type IClientOptions } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ShadowConfig } from "../../src/server/options/store-configs.ts";
import { startServer } from "../../src/server/start-server.ts";
import { until } from "./packet-client.ts";

const topic = "$aws/things/lamp/shadow";
const ports = { httpPort: 0, mqttPort: 0 };
const without = { mail: false, journals: [], ...ports } as const;

async function openTable() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec());
  /** A server on the table, as one of several. */
  const serve = async (shadows: ShadowConfig) => {
    const server = await startServer({ port: engine, createTables: true, shadows, ...without });
    const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
    return { server, http: urlOf("http"), mqtt: urlOf("mqtt") };
  };
  return { engine, serve };
}

/** What a device with this session receives about `lamp`. */
async function listen(url: string, options: IClientOptions = {}) {
  const device = connect(url, { reconnectPeriod: 0, manualConnect: true, ...options });
  const messages: string[] = [];
  device.on("message", (name, payload) => {
    const { version, current } = JSON.parse(payload.toString() || "{}");
    const announced = version ?? current?.version;
    if (announced !== undefined) messages.push(`${name.slice(topic.length + 1)} ${announced}`);
  });
  onTestFinished(async () => void (await device.endAsync(true)));
  const connected = new Promise((resolve) => device.once("connect", resolve));
  device.connect();
  await connected;
  await device.subscribeAsync([`${topic}/update/documents`, `${topic}/delete/accepted`], { qos: 1 });
  return { device, messages };
}

const documents = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `update/documents ${from + at}`);

test("every server announces the changes of all", async () => {
  const { engine, serve } = await openTable();
  const servers = [await serve({ stream: true }), await serve({ stream: true })] as const;
  onTestFinished(async () => void (await Promise.all(servers.map(({ server }) => server.stop()))));
  const devices = [await listen(servers[0].mqtt), await listen(servers[1].mqtt)] as const;
  const body = JSON.stringify({ state: { desired: { on: true } } });
  const update = { method: "POST", body };
  for (const { http } of servers) await fetch(new URL("/things/lamp/shadow", http), update);
  await openShadowManager(engine).report({ id: "lamp", state: { on: true } });
  await openShadows(engine).write([{ id: "lamp", reported: { on: false }, desired: {}, version: 3 }]);
  await devices[0].device.publishAsync(`${topic}/update`, body, { qos: 1 });
  // Deleted by a request of one server: it sends its own response, the other one announces the change.
  await fetch(new URL("/things/lamp/shadow", servers[0].http), { method: "DELETE" });
  await openShadowManager(engine).report({ id: "lamp", state: { on: true } });
  const last = "update/documents 6";
  await until(() => devices.every(({ messages }) => messages.includes(last)));
  expect(devices[1].messages).toEqual([...documents(1, 5), "delete/accepted 5", last]);
  expect(devices[0].messages.toSorted()).toEqual([...documents(1, 6), "delete/accepted 5"].toSorted());
});

test("a server that was stopped announces what happened meanwhile to the sessions that last", async () => {
  const { engine, serve } = await openTable();
  const manager = openShadowManager(engine);
  const config = { stream: true, mqttName: "one" };
  const session: IClientOptions = { clientId: "device", clean: false };
  const first = await serve(config);
  const before = await listen(first.mqtt, session);
  await manager.report({ id: "lamp", state: { n: 1 } });
  await until(() => before.messages.length === 1);
  await before.device.endAsync(true);
  await first.server.stop();
  for (const n of [2, 3]) await manager.report({ id: "lamp", state: { n } });
  const second = await serve(config);
  onTestFinished(() => second.server.stop());
  await manager.report({ id: "lamp", state: { n: 4 } });
  const after = await listen(second.mqtt, session);
  await until(() => after.messages.includes("update/documents 4"));
  // Whether the first message was acknowledged before the connection ended is not known.
  expect(after.messages.filter((message) => message !== "update/documents 1")).toEqual(documents(2, 4));
});

describe("polling, without a stream,", () => {
  test("announces the changes by other writers and deletions, and nothing that was there before", async () => {
    const { engine, serve } = await openTable();
    const manager = openShadowManager(engine);
    await manager.report({ id: "lamp", state: { n: 1 } });
    const { server, http, mqtt } = await serve({ pollSeconds: 0.02 });
    onTestFinished(() => server.stop());
    const { messages } = await listen(mqtt);
    // Whether the first reading was before it is not known; the one after it was not.
    await manager.report({ id: "lamp", state: { n: 2 } });
    await fetch(new URL("/things/lamp/shadow", http), {
      method: "POST",
      body: '{"state":{"desired":{"a":1}}}',
    });
    await until(() => messages.includes("update/documents 3"));
    await manager.report({ id: "lamp", state: { n: 4 } });
    await until(() => messages.includes("update/documents 4"));
    await manager.delete({ id: "lamp" });
    await until(() => messages.includes("delete/accepted 4"));
    await manager.report({ id: "lamp", state: { n: 5 } });
    await until(() => messages.includes("update/documents 5"));
    expect(messages.filter((message) => message !== "update/documents 2")).toEqual([
      ...documents(3, 4),
      "delete/accepted 4",
      ...documents(5, 5),
    ]);
  });

  test("announces changes by its own server only once", async () => {
    const { serve } = await openTable();
    const { server, http, mqtt } = await serve({ pollSeconds: 0.001 });
    onTestFinished(() => server.stop());
    const { messages } = await listen(mqtt);
    const url = new URL("/things/lamp/shadow", http);
    for (let n = 1; n <= 40; n++) {
      await fetch(url, { method: "POST", body: JSON.stringify({ state: { desired: { n } } }) });
      if (n % 10 === 0) await fetch(url, { method: "DELETE" });
    }
    await until(() => messages.at(-1) === "delete/accepted 40");
    const counts = new Map(
      messages.map((message) => [message, messages.filter((one) => one === message).length]),
    );
    expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
    expect(messages.filter((message) => message.startsWith("update"))).toHaveLength(40);
  });

  test("is not possible together with a stream, nor without time between", async () => {
    const { engine } = await openTable();
    for (const shadows of [{ stream: true, pollSeconds: 1 }, { pollSeconds: 0 }, { pollSeconds: Number.NaN }])
      await expect(startServer({ port: engine, shadows, ...without })).rejects.toMatchObject({
        code: "SERVER_OPTION_INVALID",
        details: { option: "pollSeconds" },
      });
  });
});

test("a table without a stream is reported at the start", async () => {
  const { engine } = await openTable();
  const start = startServer({ port: engine, shadows: { stream: true }, ...without });
  await expect(start).rejects.toMatchObject({ code: "FEED_STREAM_MISSING" });
});
