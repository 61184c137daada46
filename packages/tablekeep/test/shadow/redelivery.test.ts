/** QoS 1 over real connections: messages that a client sends again because it received no acknowledgment. */
import { openShadowManager } from "@tablekeep/shadow";
import { connectAsync } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../src/server/start-server.ts";
import { rawMqtt } from "./raw-mqtt.ts";
import { startShadows } from "./start-shadows.ts";

const topic = "$aws/things/lamp/shadow/update";
const update = { messageId: 7, topic, payload: '{"state":{"desired":{"on":true}},"clientToken":"t"}' };

/** The versions that a subscriber received, message by message. */
async function hearVersions(port: number): Promise<number[]> {
  const listener = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 });
  onTestFinished(() => listener.endAsync(true));
  const versions: number[] = [];
  listener.on("message", (_topic, payload) => versions.push(JSON.parse(payload.toString()).version));
  await listener.subscribeAsync(`${topic}/accepted`, { qos: 1 });
  return versions;
}

test("a redelivered message, also on a new connection, gets its first response and raises no version", async () => {
  const { engine, mqttPort } = await startShadows();
  const versions = await hearVersions(mqttPort);
  const device = await rawMqtt(mqttPort, "device");
  device.send(update);
  expect(await device.acknowledged()).toBe(7);
  device.send({ ...update, dup: true });
  expect(await device.acknowledged()).toBe(7);
  await device.cut();
  const back = await rawMqtt(mqttPort, "device");
  back.send({ ...update, dup: true });
  expect(await back.acknowledged()).toBe(7);
  await expect.poll(() => versions).toEqual([1, 1, 1]);
  expect(await openShadowManager(engine).get({ id: "lamp" })).toMatchObject({ version: 1 });
  await back.cut();
});

test("a connection that is cut before the answer leaves one update, however far it came", async () => {
  const { engine, mqttPort } = await startShadows();
  for (let messageId = 1; messageId <= 20; messageId++) {
    const message = { ...update, messageId };
    const device = await rawMqtt(mqttPort, "device");
    device.send(message);
    // Between nothing read and all done.
    for (let turn = 0; turn < messageId; turn++) await new Promise(setImmediate);
    await device.cut();
    const back = await rawMqtt(mqttPort, "device");
    back.send({ ...message, dup: true });
    expect(await back.acknowledged()).toBe(messageId);
    await back.cut();
    expect(await openShadowManager(engine).get({ id: "lamp" })).toMatchObject({ version: messageId });
  }
});

test("after a restart a redelivered message is performed again, unless it expects a version", async () => {
  const { engine } = await startShadows();
  const serve = async () => {
    const ports = { httpPort: 0, mqttPort: 0 };
    const server = await startServer({ port: engine, journals: [], mail: false, ...ports });
    onTestFinished(() => server.stop());
    const { url = "" } = server.listeners.find(({ name }) => name === "mqtt") ?? {};
    return { server, mqttPort: Number(new URL(url).port) };
  };
  const versionOf = async () => (await openShadowManager(engine).get({ id: "lamp" }))?.version;
  const expecting = { ...update, messageId: 8, payload: '{"state":{"desired":{"on":false}},"version":1}' };
  const first = await serve();
  const device = await rawMqtt(first.mqttPort, "device");
  for (const message of [update, expecting]) {
    device.send(message);
    expect(await device.acknowledged()).toBe(message.messageId);
  }
  expect(await versionOf()).toBe(2);
  await device.cut();
  await first.server.stop();
  const second = await serve();
  const back = await rawMqtt(second.mqttPort, "device");
  back.send({ ...expecting, dup: true });
  expect(await back.acknowledged()).toBe(8);
  expect(await versionOf()).toBe(2);
  back.send({ ...update, dup: true });
  expect(await back.acknowledged()).toBe(7);
  expect(await versionOf()).toBe(3);
  await back.cut();
});

test("a repeated client token or packet id suppresses nothing", async () => {
  const { engine, mqttPort } = await startShadows();
  const versions = await hearVersions(mqttPort);
  const device = await rawMqtt(mqttPort, "device");
  const other = await rawMqtt(mqttPort, "other");
  const sent = [
    [device, update],
    [device, { ...update, messageId: 8 }],
    [device, { ...update, messageId: 7 }],
    [other, { ...update, dup: true }],
    [device, { ...update, payload: update.payload.replace("true", "false"), dup: true }],
  ] as const;
  for (const [client, message] of sent) {
    client.send(message);
    expect(await client.acknowledged()).toBe(message.messageId);
  }
  await expect.poll(() => versions).toEqual([1, 2, 3, 4, 5]);
  expect(await openShadowManager(engine).get({ id: "lamp" })).toMatchObject({ version: 5 });
  await device.cut();
  await other.cut();
});
