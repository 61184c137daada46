/** The operations of AWS IoT's data plane on messages and connections, by AWS's own SDK. */
import {
  DeleteConnectionCommand,
  GetConnectionCommand,
  GetRetainedMessageCommand,
  IoTDataPlaneClient,
  ListRetainedMessagesCommand,
  ListSubscriptionsCommand,
  PublishCommand,
  SendDirectMessageCommand,
  UpdateThingShadowCommand,
} from "@aws-sdk/client-iot-data-plane";
import { connectAsync } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import { startTestServer } from "../../src/testing/start-test-server.ts";
import { until } from "./packet-client.ts";

async function start() {
  const server = await startTestServer({ mail: false, journals: [], dynamodb: false });
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const client = new IoTDataPlaneClient({ endpoint: server.url, region: "us-east-1", credentials });
  onTestFinished(async () => {
    client.destroy();
    await server.stop();
  });
  return { server, client };
}

test("retained messages are published, read, listed and removed", async () => {
  const { client, server } = await start();
  const publish = (topic: string, payload: string) =>
    client.send(new PublishCommand({ topic, payload: Buffer.from(payload), qos: 1, retain: true }));
  const before = Date.now();
  for (const n of [3, 1, 2]) await publish(`kept/${n}`, `message ${n}`);
  const found = await client.send(new GetRetainedMessageCommand({ topic: "kept/1" }));
  expect(found).toMatchObject({ topic: "kept/1", qos: 1 });
  expect(Buffer.from(found.payload ?? []).toString()).toBe("message 1");
  expect(found.lastModifiedTime).toBeGreaterThanOrEqual(before);
  const first = await client.send(new ListRetainedMessagesCommand({ maxResults: 2 }));
  expect(first.retainedTopics).toMatchObject([{ topic: "kept/1", payloadSize: 9 }, { topic: "kept/2" }]);
  const second = await client.send(new ListRetainedMessagesCommand({ nextToken: first.nextToken }));
  expect(second.retainedTopics?.map(({ topic }) => topic)).toEqual(["kept/3"]);
  expect(second.nextToken).toBeUndefined();
  const device = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
  onTestFinished(() => device.endAsync(true));
  const received: string[] = [];
  device.on("message", (topic, payload, { retain }) => received.push(`${topic} ${payload} ${retain}`));
  await device.subscribeAsync("kept/1", { qos: 1 });
  await until(() => received.length === 1);
  expect(received).toEqual(["kept/1 message 1 true"]);
  await publish("kept/1", "");
  await expect(client.send(new GetRetainedMessageCommand({ topic: "kept/1" }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
});

test("a page of retained messages misses none after others were removed", async () => {
  const { client } = await start();
  const publish = (topic: string, payload: string) =>
    client.send(new PublishCommand({ topic, payload: Buffer.from(payload), qos: 1, retain: true }));
  for (const topic of ["a", "b", "c", "d"]) await publish(topic, "x");
  const { nextToken } = await client.send(new ListRetainedMessagesCommand({ maxResults: 2 }));
  for (const topic of ["a", "b"]) await publish(topic, "");
  const { retainedTopics } = await client.send(new ListRetainedMessagesCommand({ nextToken }));
  expect(retainedTopics?.map(({ topic }) => topic)).toEqual(["c", "d"]);
  await expect(client.send(new ListRetainedMessagesCommand({ nextToken: "!" }))).rejects.toMatchObject({
    name: "InvalidRequestException",
  });
});

test("Publish passes the properties of MQTT 5 on", async () => {
  const { client, server } = await start();
  const device = await connectAsync(server.mqttUrl, { protocolVersion: 5, reconnectPeriod: 0 });
  onTestFinished(() => device.endAsync(true));
  await device.subscribeAsync("news", { qos: 1 });
  const received = new Promise((resolve) =>
    device.once("message", (_topic, _payload, packet) => resolve(packet.properties)),
  );
  await client.send(
    new PublishCommand({
      topic: "news",
      payload: Buffer.from("x"),
      contentType: "text/plain",
      responseTopic: "answers",
      correlationData: Buffer.from("7").toString("base64"),
      userProperties: JSON.stringify([{ a: "1" }, { a: "2" }, { b: "3" }]),
      payloadFormatIndicator: "UTF8_DATA",
      messageExpiry: 100,
    }),
  );
  const properties = (await received) as Record<string, unknown>;
  expect({ ...properties }).toMatchObject({
    contentType: "text/plain",
    responseTopic: "answers",
    correlationData: Buffer.from("7"),
    payloadFormatIndicator: true,
    userProperties: { a: ["1", "2"], b: "3" },
  });
  expect(properties["messageExpiryInterval"]).toBeGreaterThan(90);
});

test("Publish rejects what MQTT does not allow", async () => {
  const { server } = await start();
  const publish = (path: string) =>
    fetch(new URL(`/topics/${path}`, server.url), { method: "POST", body: "x" });
  for (const path of [
    "a%2F%2B",
    "a%23",
    "a%00",
    Array.from({ length: 17 }, () => "a").join("/"),
    "a?qos=2",
    "a?messageExpiry=soon",
    "a?messageExpiry=-1",
    "a?messageExpiry=4294967296",
    "a?responseTopic=r%2F%23",
  ]) {
    const response = await publish(path);
    expect([path, response.status]).toEqual([path, 400]);
    expect(response.headers.get("x-amzn-errortype")).toBe("InvalidRequestException");
  }
  expect((await publish("a?qos=1&messageExpiry=4294967295&responseTopic=r")).status).toBe(200);
});

test("connections are described and ended", async () => {
  const { client, server } = await start();
  const wills: string[] = [];
  const watcher = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
  watcher.on("message", (_topic, payload) => wills.push(String(payload)));
  await watcher.subscribeAsync("wills", { qos: 1 });
  const connect = async (clientId: string) => {
    const will = { topic: "wills", payload: Buffer.from(clientId), qos: 1, retain: false } as const;
    const device = await connectAsync(server.mqttUrl, {
      clientId,
      clean: false,
      reconnectPeriod: 0,
      keepalive: 30,
      will,
    });
    device.on("error", () => {});
    onTestFinished(async () => void (await device.endAsync(true)));
    return device;
  };
  onTestFinished(() => watcher.endAsync(true));
  const device = await connect("device 1/a");
  await device.subscribeAsync({ a: { qos: 1 }, "b/#": { qos: 0 } });
  const named = { clientId: "device 1/a" };
  expect(await client.send(new GetConnectionCommand(named))).toMatchObject({
    connected: true,
    cleanSession: false,
    keepAliveDuration: 30,
    sessionExpiry: 3600,
  });
  expect((await client.send(new ListSubscriptionsCommand(named))).subscriptions).toEqual([
    { topicFilter: "a", qos: 1 },
    { topicFilter: "b/#", qos: 0 },
  ]);
  const closed = new Promise<void>((resolve) => device.once("close", () => resolve()));
  await client.send(new DeleteConnectionCommand({ ...named, preventWillMessage: true }));
  await closed;
  expect(await client.send(new GetConnectionCommand(named))).toMatchObject({ connected: false });
  const notFound = { name: "ResourceNotFoundException" };
  await expect(client.send(new DeleteConnectionCommand(named))).rejects.toMatchObject(notFound);
  await connect("device 2");
  await client.send(new DeleteConnectionCommand({ clientId: "device 2", cleanSession: true }));
  await until(() => wills.length > 0);
  expect(wills).toEqual(["device 2"]);
  await expect(client.send(new GetConnectionCommand({ clientId: "device 2" }))).rejects.toMatchObject(
    notFound,
  );
});

test("requests of Jobs are answered, and the connection stays", async () => {
  const { server } = await start();
  const device = await connectAsync(server.mqttUrl, { clientId: "lamp", reconnectPeriod: 0 });
  onTestFinished(() => device.endAsync(true));
  const received: string[] = [];
  device.on("message", (topic, payload) => {
    const { code, clientToken } = JSON.parse(payload.toString()) as { code?: string; clientToken: string };
    received.push(`${topic.replace("$aws/things/lamp/jobs/", "")} ${code} ${clientToken}`);
  });
  const jobs = "$aws/things/lamp/jobs";
  await device.subscribeAsync([`${jobs}/+/rejected`, `${jobs}/+/+/rejected`, `${jobs}/notify`], { qos: 1 });
  const requests = ["get", "start-next", "job-1/get", "$next/get", "job-1/update"];
  for (const request of requests)
    await device.publishAsync(`${jobs}/${request}`, JSON.stringify({ clientToken: request }), { qos: 1 });
  await until(() => received.length === requests.length);
  expect(received).toEqual(requests.map((request) => `${request}/rejected InvalidRequest ${request}`));
  expect(device.connected).toBe(true);
});

test("what is not supported is reported as AWS does", async () => {
  const { client } = await start();
  const direct = client.send(
    new SendDirectMessageCommand({ clientId: "c", topic: "t", payload: Buffer.from("x") }),
  );
  await expect(direct).rejects.toMatchObject({ name: "MethodNotAllowedException" });
  const paged = client.send(new ListRetainedMessagesCommand({ maxResults: 1000 }));
  await expect(paged).rejects.toMatchObject({ name: "InvalidRequestException" });
});

test("a body that is too large is rejected with AWS's message", async () => {
  const { client } = await start();
  const payload = Buffer.alloc(140_000, " ");
  await expect(
    client.send(new UpdateThingShadowCommand({ thingName: "lamp", payload })),
  ).rejects.toMatchObject({
    name: "RequestEntityTooLargeException",
    message: "The payload exceeds the maximum size allowed",
  });
});

test("a rejected message has the time of the rejection", async () => {
  const { server } = await start();
  const device = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
  onTestFinished(() => device.endAsync(true));
  const received: unknown[] = [];
  device.on("message", (_topic, payload) => received.push(JSON.parse(payload.toString())));
  await device.subscribeAsync("$aws/things/lamp/shadow/get/rejected", { qos: 1 });
  await device.publishAsync("$aws/things/lamp/shadow/get", '{"clientToken":"t"}', { qos: 1 });
  await until(() => received.length === 1);
  expect(received).toEqual([
    {
      code: 404,
      message: "No shadow exists with name: 'lamp'",
      timestamp: expect.any(Number),
      clientToken: "t",
    },
  ]);
});
