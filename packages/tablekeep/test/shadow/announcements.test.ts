/** Subscribers receive every change to a shadow in the served store, by any writer: once, and in the order of the versions. */
import { request } from "node:http";
import { connect, ensureTable } from "@tablekeep/client";
import { wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openShadowManager, openShadows, shadowTableSpec } from "@tablekeep/shadow";
import { connectAsync } from "mqtt";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../../src/server/options/server-options.ts";
import { startTestServer } from "../../src/testing/start-test-server.ts";
import { startMain } from "../run-main.ts";
import { tempFolder } from "../temp-folder.ts";
import { until } from "./packet-client.ts";

const table = shadowTableSpec().name;
const topic = "$aws/things/lamp/shadow";

/** A server, with what an MQTT subscriber and a client of server-sent events receive about the thing `lamp`. */
async function start(options: ServerOptions = {}) {
  const server = await startTestServer({ mail: false, journals: [], ...options });
  const device = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
  const gone = new AbortController();
  onTestFinished(async () => {
    gone.abort();
    await device.endAsync(true);
    await server.stop();
  });
  const messages: string[] = [];
  device.on("message", (name, payload) => {
    // Requests are received, too, and have no version.
    const { version, current } = JSON.parse(payload.toString() || "{}");
    const announced = version ?? current?.version;
    if (announced !== undefined) messages.push(`${name.slice(topic.length + 1)} ${announced}`);
  });
  await device.subscribeAsync(`${topic}/#`, { qos: 1 });
  const events: string[] = [];
  const stream = await fetch(new URL("/api/v3/shadow-events?thing=lamp", server.url), {
    signal: gone.signal,
  });
  void readEvents(stream, events).catch(() => {});
  return { server, device, messages, events };
}

async function readEvents(stream: Response, events: string[]): Promise<void> {
  let text = "";
  for await (const part of (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const [, version, kind] = /^id: (\d+)\nevent: (\w+)/.exec(text.slice(0, end)) ?? [];
      if (kind !== undefined) events.push(`${kind} ${version}`);
      text = text.slice(end + 2);
    }
  }
}

const update = (url: string, body: object) =>
  fetch(new URL("/things/lamp/shadow", url), { method: "POST", body: JSON.stringify(body) });

test("announces every write to a served folder, whichever way it is written", async () => {
  const dataFolder = tempFolder();
  const { server, device, messages, events } = await start({ memory: false, dataFolder });
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const port = connect({ endpoint: server.dynamodbUrl, region: "us-east-1", credentials });
  onTestFinished(() => port.close());
  const commandLine = async (...args: string[]) => {
    const { code, stderr } = await startMain(["shadow", ...args, "--data", dataFolder]).result;
    expect([code, stderr]).toEqual([0, ""]);
  };
  await commandLine("desire", "lamp", '{"on":true}');
  await openShadowManager(port).report({ id: "lamp", state: { on: false } });
  await openShadows(port).write([{ id: "lamp", reported: { on: true }, desired: { on: true }, version: 2 }]);
  await port.updateItem({
    TableName: table,
    Key: { PK: { S: "DS#lamp" }, SK: { S: "DSC#" } },
    UpdateExpression: "SET #v = #v + :one, Desired.#on = :off",
    ExpressionAttributeNames: { "#v": "Version", "#on": "on" },
    ExpressionAttributeValues: { ":one": { N: "1" }, ":off": { BOOL: false } },
  });
  const patch = { method: "PATCH", body: '{"desired":{"level":1}}' };
  await fetch(new URL("/api/v3/shadows/lamp", server.url), patch);
  await update(server.url, { state: { reported: { on: false, level: 1 } } });
  await device.publishAsync(`${topic}/update`, '{"state":{"desired":{"level":2}}}', { qos: 1 });
  await commandLine("delete", "lamp", "--yes");
  await openShadowManager(port).desire({ id: "lamp", state: { on: true } });
  await device.publishAsync(`${topic}/delete`, "", { qos: 1 });
  await until(() => messages.includes("delete/accepted 8"));
  expect(messages).toEqual([
    "update/delta 1",
    "update/documents 1",
    "update/delta 2",
    "update/documents 2",
    "update/documents 3",
    "update/delta 4",
    "update/documents 4",
    "update/delta 5",
    "update/documents 5",
    "update/documents 6",
    "update/accepted 6",
    "update/delta 7",
    "update/documents 7",
    "update/accepted 7",
    "delete/accepted 7",
    "update/delta 8",
    "update/documents 8",
    "delete/accepted 8",
  ]);
  await until(() => events.includes("deleted 8"));
  expect(events).toEqual(
    [1, 2, 3, 4, 5, 6, 7]
      .map((version) => `updated ${version}`)
      .concat(["deleted 7", "updated 8", "deleted 8"]),
  );
});

/** Sends an update and disconnects at once, or a few turns of the event loop later. */
async function hangUp(url: string, n: number): Promise<void> {
  const sent = request(new URL("/things/lamp/shadow", url), { method: "POST", agent: false });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ state: { reported: { [`k${n}`]: n } } }));
  await new Promise<void>((resolve) => sent.once("socket", (socket) => socket.once("connect", resolve)));
  for (let turn = 0; turn < n % 20; turn++) await new Promise(setImmediate);
  sent.destroy();
}

describe("an update whose client disconnects is announced as soon as it is stored", () => {
  const check = async (options: ServerOptions) => {
    const { server, messages, events } = await start(options);
    for (let n = 0; n < 40; n++) await hangUp(server.url, n);
    const last = await (await update(server.url, { state: { reported: { last: true } } })).json();
    const { version } = last as { version: number };
    expect(version).toBeGreaterThan(1);
    await until(() => messages.includes(`update/accepted ${version}`) && events.length >= version);
    const versions = Array.from({ length: version }, (_, at) => at + 1);
    expect(messages.filter((each) => each.startsWith("update/documents"))).toEqual(
      versions.map((each) => `update/documents ${each}`),
    );
    expect(events).toEqual(versions.map((each) => `updated ${each}`));
  };

  test("in the embedded engine", () => check({}));

  test("in a slow store", async () => {
    const engine = await openEngine({ storage: { kind: "memory" } });
    onTestFinished(() => engine.close());
    await ensureTable(engine, shadowTableSpec());
    const slow = wrapPort(engine, async (operation, input, options, next) => {
      const { signal } = options;
      const answer = next(operation, input, { ...options, signal: undefined });
      // It may be rejected before anybody waits for it.
      answer.catch(() => {});
      await Promise.race([
        new Promise((resolve) => setTimeout(resolve, 5)),
        new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      ]);
      return answer;
    });
    await check({ port: slow });
  });
});
