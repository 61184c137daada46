import { once } from "node:events";
import { connect } from "node:net";
import { systemClock } from "@tablekeep/core";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { certificate } from "../../../../test/smtp/certificate.ts";
import { startTestServer, type TestServer } from "../../../testing/start-test-server.ts";
import { mqttListener } from "./mqtt-listener.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ shadows: { certificate }, mail: false, dynamodb: false });
});
afterAll(() => server.stop());

test("with a certificate MQTT is spoken inside of TLS", async () => {
  expect(server.mqttUrl).toMatch(/^mqtts:/);
  const options = { clientId: "lamp", ca: certificate.cert, servername: "localhost" };
  const device = await connectAsync(server.mqttUrl, options);
  await device.subscribeAsync("$aws/things/lamp/shadow/get/rejected", { qos: 1 });
  const message = new Promise<Buffer>((resolve) =>
    device.once("message", (_topic, payload) => resolve(payload)),
  );
  await device.publishAsync("$aws/things/lamp/shadow/get", "", { qos: 1 });
  expect(JSON.parse((await message).toString())).toMatchObject({ code: 404 });
  await device.endAsync();
});

test("a client that does not speak TLS is cut off", async () => {
  const { hostname, port } = new URL(server.mqttUrl);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  socket.end(Buffer.from([0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 0]));
  await closed;
});

test("so is one that says nothing, after its time", async () => {
  const listener = mqttListener({
    place: { listener: "mqtt", host: "127.0.0.1", port: 0, portFlag: "--mqtt-port" },
    broker: { handle() {}, publish() {}, clients: () => 0, idle: async () => {}, close() {} },
    clock: systemClock,
    certificate,
    handshakeMs: 20,
  });
  onTestFinished(() => listener.stop(0));
  const { hostname, port } = new URL(await listener.start());
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}).resume();
  await once(socket, "close");
});

test("a certificate that cannot be read is told before anything listens", async () => {
  const wrong = { key: "none", cert: certificate.cert };
  const start = startTestServer({ shadows: { certificate: wrong }, mail: false, dynamodb: false });
  await expect(start).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
});
