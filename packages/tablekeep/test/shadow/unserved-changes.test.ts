/** Persistent MQTT sessions receive the changes that commands make to a folder while no server runs. */
import { ensureTable } from "@tablekeep/client";
import { type Item, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openShadows, shadowTableSpec } from "@tablekeep/shadow";
import { connect } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import {
  announceUnserved,
  type UnservedChange,
  UnservedRecorder,
} from "../../src/server/shadow/unserved-changes.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { startMain } from "../run-main.ts";
import { tempFolder } from "../temp-folder.ts";
import { until } from "./packet-client.ts";

const topic = "$aws/things/lamp/shadow";
const table = shadowTableSpec().name;

/** The device of the thing, with a session that lasts, and what it receives. */
function deviceOf(server: TestServer) {
  const properties = { sessionExpiryInterval: 3600 };
  const options = {
    clientId: "lamp",
    clean: false,
    protocolVersion: 5,
    properties,
    reconnectPeriod: 0,
  } as const;
  const device = connect(server.mqttUrl, { ...options, manualConnect: true });
  onTestFinished(async () => void (await device.endAsync(true)));
  const messages: string[] = [];
  device.on("message", (name, payload, { dup }) => {
    const { version, current, previous } = JSON.parse(payload.toString());
    const before = previous === undefined ? "" : ` after ${previous?.version ?? null}`;
    messages.push(
      `${name.slice(topic.length + 1)} ${version ?? current.version}${before}${dup ? " again" : ""}`,
    );
  });
  const connected = new Promise((resolve) => device.once("connect", resolve));
  device.connect();
  return { device, messages, connected };
}

async function commandLine(folder: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await startMain(["shadow", ...args, "--data", folder]).result;
  expect([code, stderr]).toEqual([0, ""]);
}

test("a device that comes back receives what commands changed while no server ran, once and in order", async () => {
  const dataFolder = tempFolder();
  const start = () => startTestServer({ mail: false, journals: [], memory: false, dataFolder });
  const first = await start();
  const { device, connected } = deviceOf(first);
  await connected;
  for (const name of ["update/delta", "update/documents", "delete/accepted"])
    await device.subscribeAsync(`${topic}/${name}`, { qos: 1 });
  await device.endAsync();
  await first.stop();
  await commandLine(dataFolder, "desire", "lamp", '{"on":true}');
  await commandLine(dataFolder, "desire", "other", '{"on":true}');
  await commandLine(dataFolder, "report", "lamp", '{"on":true}');
  await commandLine(dataFolder, "delete", "lamp", "--yes");
  await commandLine(dataFolder, "desire", "lamp", '{"on":false}');

  // It announces them, and no device is there to receive them.
  await (await start()).stop();

  const third = await start();
  onTestFinished(() => third.stop());
  const { messages } = deviceOf(third);
  await until(() => messages.includes("update/documents 3 after null"));
  await fetch(new URL("/things/lamp/shadow", third.url), {
    method: "POST",
    body: JSON.stringify({ state: { reported: { on: false } } }),
  });
  await until(() => messages.includes("update/documents 4 after 3"));
  expect(messages).toEqual([
    "update/delta 1",
    "update/documents 1 after null",
    "update/documents 2 after 1",
    "delete/accepted 2",
    "update/delta 3",
    "update/documents 3 after null",
    "update/documents 4 after 3",
  ]);
});

test("a folder without sessions stores nothing for them", async () => {
  const folder = tempFolder();
  await commandLine(folder, "desire", "lamp", '{"on":true}', "--create");
  await using engine = await openEngine({ storage: { kind: "folder", path: folder } });
  const { Items = [] } = await engine.scan({ TableName: table });
  expect(Items.map(({ PK }) => PK?.S)).toEqual(["DS#lamp"]);
});

/** A table with one session, and shadows whose changes are recorded. */
async function recorded() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec(table));
  const put = (PK: string, SK: string) =>
    engine.putItem({ TableName: table, Item: { PK: { S: PK }, SK: { S: SK } } });
  await put("MQ#b#sessions", "device");
  const target = { port: engine, table, broker: "b", clock: systemClock };
  const failures: unknown[] = [];
  const recorder = new UnservedRecorder(target, engine.watch, (error) => failures.push(error));
  const announced = async () => {
    await recorder.close();
    const changes: UnservedChange[] = [];
    await announceUnserved(
      target,
      async (change) => void changes.push(change),
      async () => {},
    );
    expect(failures).toEqual([]);
    return changes.map(({ items }) =>
      items.map(({ before, after }) => [versionOf(before), versionOf(after)]),
    );
  };
  return { shadows: openShadows(engine), put, announced };
}

const versionOf = (item: Item | undefined) => item?.["Version"]?.N;

test("a change whose two states do not fit in an item is announced without the previous one", async () => {
  const { shadows, announced } = await recorded();
  const desired = { text: "x".repeat(250_000) };
  await shadows.write([{ id: "lamp", desired, reported: {}, version: 0 }]);
  await shadows.write([{ id: "lamp", desired, reported: { on: true }, version: 1 }]);
  await shadows.write([{ id: "lamp", desired: {}, reported: {}, version: 2 }]);
  expect(await announced()).toEqual([[[undefined, "1"]], [[undefined, "2"]], [["2", "3"]]]);
  expect(await announced()).toEqual([]);
});

test("no more than 10,000 changes are stored", async () => {
  const { shadows, put, announced } = await recorded();
  await put("MQ#b#unserved", "9999".padStart(16, "0"));
  for (const version of [0, 1, 2]) await shadows.write([{ id: "lamp", desired: {}, reported: {}, version }]);
  expect(await announced()).toEqual([[], [[undefined, "1"]]]);
});
