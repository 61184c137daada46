/**
 * For every listener: clients that stall, that flood, that hang up in the middle and that send garbage. All other clients,
 * at all listeners, keep getting their answers, and the server's memory stays bounded.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { generate, type Packet } from "mqtt-packet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { buildProgram } from "../build-program.ts";
import { readMetrics } from "../read-metrics.ts";
import { until } from "../shadow/packet-client.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { rawClient } from "../smtp/smtp-client.ts";
import { tempFolder } from "../temp-folder.ts";
import { call } from "../wire/raw-dynamodb.ts";

let served: ServedProcess;
let urls: Readonly<Record<string, string>>;
/** Makes the server meet an error that nobody catches, as a fault in a library's callback would. */
const faulty = "--import=data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('planted')})";
beforeAll(async () => {
  served = startServed(await buildProgram(), tempFolder(), [], [faulty]);
  urls = await served.urls;
});
afterAll(async () => {
  // The server has survived all of it, and stops as it should.
  expect(await served.stop()).toBe(0);
});

const url = (name: string) => urls[name] ?? "";

// --- clients that behave

/** One exchange of an ordinary client at each listener; resolves once it has its answer. */
const neighbours: Readonly<Record<string, () => Promise<void>>> = {
  async http() {
    const answer = await fetch(new URL("/healthz", url("http")));
    expect(answer.status).toBe(200);
  },
  async dynamodb() {
    expect((await call(url("dynamodb"), "ListTables", {})).status).toBe(200);
  },
  async smtp() {
    const client = await rawClient(url("smtp"));
    await client.say("EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n", 4);
    expect(await client.say("Subject: x\r\n\r\nx\r\n.\r\n")).toMatch(/^250 /);
    client.socket.destroy();
  },
  mqtt: () => mqttExchange(url("mqtt")),
  "mqtt in a web socket": () => mqttExchange(`${url("http").replace("http", "ws")}mqtt`),
  async "server-sent events"() {
    const gone = new AbortController();
    const thing = `sse-${randomBytes(6).toString("hex")}`;
    const events = new URL(`/api/v3/shadow-events?thing=${thing}`, url("http"));
    const stream = await fetch(events, { signal: gone.signal });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await updateShadow(thing, "x");
    for (let heard = ""; !heard.includes(thing); )
      heard += Buffer.from((await reader.read()).value ?? []).toString();
    gone.abort();
  },
};

async function mqttExchange(at: string): Promise<void> {
  const client = await connectAsync(at, { reconnectPeriod: 0 });
  const topic = `$aws/things/t-${randomBytes(6).toString("hex")}/shadow/get`;
  const heard = new Promise((resolve) => client.once("message", resolve));
  await client.subscribeAsync(`${topic}/rejected`, { qos: 1 });
  await client.publishAsync(topic, "", { qos: 1 });
  await heard;
  await client.endAsync(true);
}

async function updateShadow(thing: string, value: string): Promise<void> {
  const answer = await fetch(new URL(`/api/v3/shadows/${thing}`, url("http")), {
    method: "PATCH",
    body: JSON.stringify({ desired: { value } }),
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

// --- clients that do not

const sockets = new Set<Socket | WebSocket>();

async function tcp(name: string): Promise<Socket> {
  const { hostname, port } = new URL(url(name));
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

async function webSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`${url("http").replace("http", "ws")}mqtt`, ["mqtt"]);
  sockets.add(socket);
  socket.on("error", () => {});
  await once(socket, "open");
  return socket;
}

/** The bytes of a client, in the protocol of a listener. */
interface BadClient {
  /** Opens a connection; returns what sends bytes on it. Nobody reads what comes unless `isRead`. */
  open(isRead: boolean): Promise<(bytes: Buffer) => void>;
  /** What a client says to be served. */
  readonly hello: Buffer;
  /** A request that gets an answer. */
  readonly request: Buffer;
  /** A request with a large answer. @default `request` */
  readonly large?: Buffer;
  /** Makes the server send much to a client that has said hello. @default the answers to many requests */
  readonly provoke?: () => Promise<void>;
}

const get = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
const bytesOf = (...packets: Packet[]) => Buffer.concat(packets.map((packet) => generate(packet)));
const mqttHello = bytesOf(
  { cmd: "connect", clientId: "", clean: true, keepalive: 0 },
  {
    cmd: "subscribe",
    messageId: 1,
    subscriptions: [
      { topic: "flood", qos: 1 },
      { topic: "$aws/things/+/shadow/#", qos: 1 },
    ],
  },
);
const mqttRequest = bytesOf({
  cmd: "publish",
  topic: "$aws/things/bad/shadow/get",
  payload: "{}",
  qos: 0,
  dup: false,
  retain: false,
});
const dynamoBody = '{"TableName":"device-shadows"}';

/** Sends 100 KB messages to all subscribers of `flood`, 20 MB in all. */
async function publishMuch(): Promise<void> {
  const sender = await connectAsync(url("mqtt"), { reconnectPeriod: 0 });
  for (let count = 0; count < 200; count++)
    await sender.publishAsync("flood", Buffer.alloc(100_000, "x"), { qos: 1 });
  await sender.endAsync(true);
}

/** Updates shadows with 7 KB, 600 times. */
async function updateMuch(): Promise<void> {
  for (let count = 0; count < 60; count++)
    await Promise.all(
      Array.from({ length: 10 }, (_, lane) => updateShadow(`much-${lane}`, `${count} ${"x".repeat(7_000)}`)),
    );
}

function overTcp(name: string) {
  return async (isRead: boolean) => {
    const socket = await tcp(name);
    if (isRead) socket.resume();
    else socket.pause();
    return (bytes: Buffer) => void socket.write(bytes);
  };
}

const badClients: Readonly<Record<string, BadClient>> = {
  http: {
    open: overTcp("http"),
    hello: Buffer.alloc(0),
    request: get("/healthz"),
    large: get("/api/v3/openapi.json"),
  },
  dynamodb: {
    open: overTcp("dynamodb"),
    hello: Buffer.alloc(0),
    request: Buffer.from(
      "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-amz-target: DynamoDB_20120810.DescribeTable\r\n" +
        `content-type: application/x-amz-json-1.0\r\ncontent-length: ${dynamoBody.length}\r\n\r\n${dynamoBody}`,
    ),
  },
  smtp: { open: overTcp("smtp"), hello: Buffer.from("EHLO x\r\n"), request: Buffer.from("NOOP\r\n") },
  mqtt: { open: overTcp("mqtt"), hello: mqttHello, request: mqttRequest, provoke: publishMuch },
  "mqtt in a web socket": {
    async open(isRead) {
      const socket = await webSocket();
      if (!isRead) socket.pause();
      return (bytes) => socket.readyState === WebSocket.OPEN && socket.send(bytes);
    },
    hello: mqttHello,
    request: mqttRequest,
    provoke: publishMuch,
  },
  "server-sent events": {
    open: overTcp("http"),
    hello: get("/api/v3/shadow-events"),
    request: Buffer.alloc(0),
    provoke: updateMuch,
  },
};

function hangUpAll(): void {
  for (const socket of sockets)
    if (socket instanceof WebSocket) socket.terminate();
    else socket.destroy();
  sockets.clear();
}

/** What bad clients do. Each leaves its connections open, but for the one that hangs up. */
const manners: Readonly<Record<string, (client: BadClient) => Promise<void>>> = {
  async "stall and do not read"({ open, hello, request, large = request, provoke }) {
    for (let count = 0; count < 5; count++) {
      const send = await open(false);
      send(hello);
      // The last request is cut in the middle, and never goes on.
      for (let requests = 0; requests < 200; requests++) send(large);
      send(request.subarray(0, request.length / 2));
    }
    await provoke?.();
  },
  async "flood the server with requests"({ open, hello, request }) {
    for (let count = 0; count < 5; count++) {
      const send = await open(true);
      send(hello);
      for (let requests = 0; requests < 500; requests++) send(request);
    }
  },
  async "hang up in the middle"({ open, hello, request }) {
    for (let count = 0; count < 50; count++) {
      const send = await open(true);
      send(hello);
      send(request);
      send(request.subarray(0, count % Math.max(1, request.length)));
      if (count % 2 === 0) await new Promise(setImmediate);
      hangUpAll();
    }
  },
  async "send garbage"({ open, hello }) {
    for (let count = 0; count < 30; count++) {
      const send = await open(true);
      if (count % 2 === 0) send(hello);
      send(randomBytes(1 + count * 300));
    }
  },
};

/** Bytes that the server may use; without bounds it uses far more. */
const memoryBound = 1_000_000_000;

describe.each(Object.keys(badClients))("clients at %s that", (name) => {
  test.each(Object.keys(manners))("%s harm nobody else", async (manner) => {
    const client = badClients[name] as BadClient;
    await manners[manner]?.(client);
    for (let times = 0; times < 2; times++)
      for (const exchange of Object.values(neighbours)) await exchange();
    hangUpAll();
    const metrics = await readMetrics(url("http"));
    expect(metrics.value('tablekeep_memory_bytes{kind="rss"}')).toBeLessThan(memoryBound);
  });
});

test("every listener has its bad clients and its neighbours here", () => {
  const entrances = [...Object.keys(urls), "mqtt in a web socket", "server-sent events"].toSorted();
  expect(Object.keys(badClients).toSorted()).toEqual(entrances);
  expect(Object.keys(neighbours).toSorted()).toEqual(entrances);
});

test("an error that nobody catches ends no listener, and /readyz reports it", async () => {
  const ready = async () => (await fetch(new URL("/readyz", url("http")))).status;
  expect(await ready()).toBe(200);
  served.signal("SIGUSR2");
  await until(async () => (await ready()) === 503);
  for (const exchange of Object.values(neighbours)) await exchange();
});
