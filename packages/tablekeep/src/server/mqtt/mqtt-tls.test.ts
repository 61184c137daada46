import { once } from "node:events";
import { connect } from "node:net";
import { silentLogger, systemClock } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { deviceFile } from "../../../test/shadow/device-file.ts";
import { certificate } from "../../../test/smtp/certificate.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { parseUsers } from "../auth/secret-files.ts";
import { mqttListener } from "./mqtt-listener.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ shadows: { certificate }, mail: false, dynamodb: false });
});
afterAll(() => server.stop());

test("serves MQTT over TLS with a certificate", async () => {
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

test("a client that does not use TLS is disconnected", async () => {
  const { hostname, port } = new URL(server.mqttUrl);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  socket.end(Buffer.from([0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 0]));
  await closed;
});

test("a silent client is cut off after the handshake timeout", async () => {
  const listener = mqttListener({
    target: { listener: "mqtt", host: "127.0.0.1", port: 0, portFlag: "--mqtt-port" },
    broker: { handle() {}, idle: async () => {}, announceEnd() {} },
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

test("an unreadable certificate is reported before anything listens", async () => {
  const wrong = { key: "none", cert: certificate.cert };
  const start = startTestServer({ shadows: { certificate: wrong }, mail: false, dynamodb: false });
  await expect(start).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
});

describe("client certificates", () => {
  const users = parseUsers(`ann:${hashSync("right", 4)}\n`, "users");
  const start = async (shadows: object, logger = silentLogger) => {
    const devices = await startTestServer({
      logger,
      mail: false,
      dynamodb: false,
      shadows: { certificate, clientCa: deviceFile("ca.pem"), ...shadows },
    });
    onTestFinished(() => devices.stop());
    /** Whether a client gets in; `name` has a certificate. */
    const connects = async (name: string | undefined, signIn: object = {}) => {
      const own = name && { cert: deviceFile(`${name}.pem`), key: deviceFile(`${name}-key.pem`) };
      const tls = { ca: certificate.cert, servername: "localhost", ...own };
      const options = { reconnectPeriod: 0, ...tls, ...signIn };
      const client = await connectAsync(devices.mqttUrl, options, false).catch(() => undefined);
      client?.on("error", () => {});
      onTestFinished(async () => void (await client?.endAsync(true)));
      return client;
    };
    return { devices, connects };
  };

  test("authenticate their owners, and no other client", async () => {
    const { connects } = await start({});
    expect(await connects("lamp")).toBeDefined();
    expect(await connects("lamp", { username: "?SDK=Test", password: "any" })).toBeDefined();
    expect(await connects("thief")).toBeUndefined();
    expect(await connects(undefined)).toBeUndefined();
    expect(await connects(undefined, { username: "lamp", password: "lamp" })).toBeUndefined();
  });

  test("that are rejected are logged with their names and the reason", async () => {
    const lines: unknown[] = [];
    const warn = (message: string, fields?: object) => void lines.push({ message, ...fields });
    const { connects } = await start({ users }, { ...silentLogger, warn });
    await connects("thief");
    await connects(undefined, { clientId: "lamp-1", username: "ann", password: "wrong" });
    await connects("lamp");
    const message = "MQTT client rejected";
    expect(lines).toEqual([
      {
        message,
        from: "127.0.0.1",
        certificate: "thief",
        issuer: "thief",
        reason: expect.stringMatching("SELF_SIGNED"),
      },
      { message, from: "127.0.0.1", client: "lamp-1", user: "ann", reason: "bad user name or password" },
    ]);
  });

  test("are accepted beside passwords, if there are users", async () => {
    const { connects } = await start({ users });
    expect(await connects("lamp")).toBeDefined();
    expect(await connects(undefined, { username: "ann", password: "right" })).toBeDefined();
    expect(await connects(undefined, { username: "ann", password: "wrong" })).toBeUndefined();
    // A password does not make up for a certificate of another authority.
    expect(await connects("thief", { username: "ann", password: "right" })).toBeUndefined();
  });

  test("name the thing that a client may reach", async () => {
    const { connects } = await start({ ownThingOnly: true });
    const lamp = await connects("lamp", { username: "other" });
    await lamp?.subscribeAsync("$aws/things/lamp/shadow/get/rejected");
    await expect(lamp?.subscribeAsync("$aws/things/other/shadow/get/rejected")).rejects.toThrow();
  });

  test("do not apply to the web socket, which has none", async () => {
    const { devices } = await start({});
    const socket = connectAsync(`${devices.url.replace("http", "ws")}mqtt`, { reconnectPeriod: 0 }, false);
    await expect(socket).rejects.toThrow();
  });

  test("need TLS", async () => {
    const wrong = (shadows: object) => startTestServer({ mail: false, dynamodb: false, shadows });
    await expect(wrong({ clientCa: deviceFile("ca.pem") })).rejects.toMatchObject({
      code: "SERVER_OPTION_INVALID",
    });
  });
});
