/** Every listener cuts off clients that send nothing or a byte now and then, and serves others meanwhile. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { awsShadows, openShadowManager } from "@tablekeep/shadow";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { httpListener } from "../../src/server/http/http-listener.ts";
import { sendJson } from "../../src/server/http/responses.ts";
import { routeRequests } from "../../src/server/http/route-requests.ts";
import type { Listener } from "../../src/server/listening/listener.ts";
import { mqttBroker } from "../../src/server/mqtt/mqtt-broker.ts";
import { mqttListener, mqttSocketRoute } from "../../src/server/mqtt/mqtt-listener.ts";
import { mqttGuard } from "../../src/server/shadow/mqtt-guard.ts";
import { shadowService } from "../../src/server/shadow/shadow-service.ts";
import { awsTopics } from "../../src/server/shadow/topic-rules.ts";
import { rawClient } from "../smtp/smtp-client.ts";
import { startSmtp } from "../smtp/start-smtp.ts";
import { openSocket } from "../wire/raw-dynamodb.ts";

const target = { listener: "test", host: "127.0.0.1", port: 0, portFlag: "--port" };
const parts = { clock: systemClock, logger: silentLogger };
const limits = { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000, checkEveryMs: 50 };
let engine: Engine;
let listener: Listener | undefined;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
});
afterEach(() => listener?.stop(0));
afterAll(() => engine.close());

/** Sends the bytes one by one, the last one repeatedly, until the server closes the connection. */
async function trickle(socket: Socket, bytes: Buffer): Promise<void> {
  socket.on("error", () => {}).resume();
  let at = 0;
  const drip = setInterval(() => {
    if (socket.writable) socket.write(bytes.subarray(at, at + 1));
    at = Math.min(at + 1, bytes.length - 1);
  }, 20);
  await closed(socket);
  clearInterval(drip);
}

async function silence(socket: Socket): Promise<void> {
  socket.on("error", () => {}).resume();
  await closed(socket);
}

/** Also after a reset, which `once` would report as a failure. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

const slowRequests = [
  "POST / HTTP/1.1\r\nhost: localhost\r\nx: aaa",
  "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n{ ",
  "POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1\r\n \r\n1",
];

describe("http", () => {
  const start = async () => {
    const group = {
      routes: [
        {
          method: "GET",
          path: "/it",
          access: "anybody",
          handle: ({ response }) => sendJson(response, 200, {}),
        },
      ],
    } as const satisfies Parameters<typeof routeRequests>[0][number];
    listener = httpListener({
      target,
      purpose: "",
      handle: routeRequests([group], silentLogger),
      limits,
      ...parts,
    });
    return listener.start();
  };

  test("a silent client", async () => {
    await silence(await openSocket(await start()));
  });

  test.each(slowRequests)("a client that sends one byte at a time: %j", async (request) => {
    const url = await start();
    const cut = trickle(await openSocket(url), Buffer.from(request));
    expect((await fetch(new URL("/it", url))).status).toBe(200);
    await cut;
  });

  test("50 of them do not delay another client", async () => {
    const url = await start();
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(url)));
    const cut = Promise.all(
      sockets.map((socket) => trickle(socket, Buffer.from("GET /it HTTP/1.1\r\nx: a"))),
    );
    for (let round = 0; round < 20; round++) expect((await fetch(new URL("/it", url))).status).toBe(200);
    await cut;
  });
});

describe("smtp", () => {
  const start = () => startSmtp({ limits: { idleMs: 2_000, messageMs: 3_000 } });

  test("a silent client", async () => {
    const { url } = await start();
    const client = await rawClient(url);
    expect(await client.rest()).toMatch(/^421 /);
  });

  test("a client that sends its message one byte at a time", async () => {
    const { url, receiver } = await start();
    const client = await rawClient(url);
    await client.say("EHLO a\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n", 4);
    await trickle(client.socket, Buffer.from("Subject: x\r\n\r\naaaa"));
    expect(receiver.arrived).toEqual([]);
    const next = await rawClient(url);
    expect(await next.say("NOOP\r\n")).toMatch(/^250 /);
  });
});

describe("mqtt", () => {
  const start = async () => {
    const manager = openShadowManager(engine);
    const service = shadowService({
      shadows: awsShadows(manager, systemClock),
      limits: manager.limits,
      clock: systemClock,
      feed: { listen: manager.onChange },
      publish() {},
      onUnexpected() {},
    });
    const times = { connectMs: 1000, keepAliveSeconds: 0.2 };
    const broker = await mqttBroker({
      service: awsTopics(service),
      guard: mqttGuard({}),
      limits: times,
      ...parts,
    });
    const http = httpListener({
      target,
      purpose: "",
      handle: routeRequests([], silentLogger),
      upgrades: [mqttSocketRoute("/mqtt", broker)],
      ...parts,
    });
    const mqtt = mqttListener({ target, broker, clock: systemClock });
    listener = {
      ...mqtt,
      stop: async (graceMs) => void (await Promise.all([mqtt.stop(graceMs), http.stop(0)])),
    };
    return { mqtt: await mqtt.start(), http: await http.start() };
  };
  /** A CONNECT of MQTT 3.1.1 without a keep-alive. */
  const connectPacket = Buffer.from("\x10\x0d\0\x04MQTT\x04\x02\0\0\0\x01a", "latin1");
  const atTcp = (url: string) => openSocket(url.replace("mqtt:", "http:"));

  test("a silent client, over TCP and in a web socket", async () => {
    const { mqtt, http } = await start();
    const socket = new WebSocket(new URL("/mqtt", http.replace("http", "ws")), "mqtt");
    const socketClosed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await silence(await atTcp(mqtt));
    await socketClosed;
  });

  test("a client that sends its CONNECT one byte at a time", async () => {
    const { mqtt } = await start();
    await trickle(await atTcp(mqtt), Buffer.concat([connectPacket.subarray(0, 12), Buffer.from("\0")]));
  });

  test.each([
    ["a publish", Buffer.from("\x30\x7f\0\x01a", "latin1")],
    ["the length of a packet", Buffer.from("\x30", "latin1")],
  ])("a connected client without a keep-alive that sends %s one byte at a time", async (_what, bytes) => {
    const { mqtt } = await start();
    const socket = await atTcp(mqtt);
    socket.write(connectPacket);
    await once(socket, "data");
    await trickle(socket, bytes);
  });
});
