import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { connectAsync } from "mqtt";
import { generate, type Packet } from "mqtt-packet";
import { WebSocket } from "ws";
import { appendEvent, type Reachable, sendMail, updateShadow } from "./ordinary-clients.ts";

/** The bytes of a client, in the protocol of an endpoint. */
export interface BadClient {
  /** Opens a connection; returns what sends bytes on it. Nothing that arrives is read unless `isRead`. */
  open(at: Reachable, isRead: boolean): Promise<(bytes: Buffer) => void>;
  /** What a client sends to be served. */
  readonly hello?: Buffer;
  /** A request that gets an answer. @default none */
  readonly request?: (at: Reachable) => Promise<Buffer>;
  /** A request with a large answer. @default `request` */
  readonly large?: (at: Reachable) => Promise<Buffer>;
  /** Makes the server send much to each client that has sent hello. @default the answers to many requests */
  readonly provoke?: (at: Reachable) => Promise<void>;
  /** Removes what `provoke` has stored, once it has been measured: later exchanges would read it again and again. */
  readonly tidy?: (at: Reachable) => Promise<void>;
  /** How many clients stall at once. @default 5 */
  readonly stalled?: number;
}

const sockets = new Set<Socket | WebSocket>();

/** Ends all connections of bad clients. */
export function disconnectAll(): void {
  for (const socket of sockets)
    if (socket instanceof WebSocket) socket.terminate();
    else socket.destroy();
  sockets.clear();
}

function tcp(urlOf: (at: Reachable) => string): BadClient["open"] {
  return async (at, isRead) => {
    const { hostname, port } = new URL(urlOf(at));
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.on("error", () => {});
    await once(socket, "connect");
    if (isRead) socket.resume();
    else socket.pause();
    return (bytes) => void socket.write(bytes);
  };
}
const at = (listener: string) => tcp((server) => server.url(listener));

function webSocket(path: string, protocols: string[]): BadClient["open"] {
  return async (server, isRead) => {
    const socket = new WebSocket(`${server.url("http").replace("http", "ws")}${path}`, protocols);
    sockets.add(socket);
    socket.on("error", () => {});
    await once(socket, "open");
    if (!isRead) socket.pause();
    return (bytes) => socket.readyState === WebSocket.OPEN && socket.send(bytes);
  };
}

const httpGet = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
const always = (bytes: Buffer) => async () => bytes;

// --- DynamoDB

const big = { TableName: "big", Key: { id: { S: "1" } } };

/** Stores the item that requests for much read. */
export async function storeBigItem(server: Reachable): Promise<void> {
  const { endpoint, ...credentials } = server.access;
  await using port = httpPort({ endpoint, region: "us-east-1", credentials });
  await port.createTable({
    TableName: "big",
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  await port.putItem({ TableName: "big", Item: { id: { S: "1" }, text: { S: "x".repeat(390_000) } } });
}

/** Returns the bytes of a signed request, which any server with these keys accepts. */
async function signedBytes(
  { access: { endpoint: _, ...credentials } }: Reachable,
  send: (port: DynamoPort) => Promise<unknown>,
): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = httpPort({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
  const connection = once(server, "connection") as Promise<[Socket]>;
  const failed = send(port).catch(() => {});
  const [socket] = await connection;
  let bytes = "";
  const isWhole = () => {
    const [head = "", body] = bytes.split("\r\n\r\n");
    return body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1]);
  };
  for await (const chunk of socket) {
    bytes += String(chunk);
    if (isWhole()) break;
  }
  await failed;
  await port.close();
  server.close();
  return Buffer.from(bytes);
}

const describeBig = (server: Reachable) =>
  signedBytes(server, (port) => port.describeTable({ TableName: "big" }));
const readBig = (server: Reachable) => signedBytes(server, (port) => port.getItem(big));

// --- MQTT

const bytesOf = (...packets: Packet[]) => Buffer.concat(packets.map((packet) => generate(packet)));
const filters = ["flood", "$aws/things/+/shadow/#"];
const mqtt = {
  hello: bytesOf(
    { cmd: "connect", clientId: "", clean: true, keepalive: 0 },
    { cmd: "subscribe", messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos: 1 })) },
  ),
  request: always(
    bytesOf({
      cmd: "publish",
      topic: "$aws/things/bad/shadow/get",
      payload: "{}",
      qos: 0,
      dup: false,
      retain: false,
    }),
  ),
  /** Sends 100 KB messages to all subscribers of `flood`, 60 MB in all: twice what the server may keep. */
  async provoke(server: Reachable) {
    const sender = await connectAsync(server.url("mqtt"), { reconnectPeriod: 0 });
    for (let count = 0; count < 600; count++)
      await sender.publishAsync("flood", Buffer.alloc(100_000, "x"), { qos: 1 });
    await sender.endAsync(true);
  },
};

// --- streams

const journalId = `bad-${randomBytes(6).toString("hex")}`;

/** Stores messages of 500 KB, 15 MB in all; MailHog's form of them is larger. */
async function sendLargeMails(server: Reachable): Promise<void> {
  const body = `${"x".repeat(998)}\r\n`.repeat(500);
  for (let count = 0; count < 30; count++) await sendMail(server, { from: "much", body });
}

/** Stores messages whose envelopes have 100 KB, 6 MB in all. */
async function sendLargeEnvelopes(server: Reachable): Promise<void> {
  const domain = `${"d".repeat(60)}.`.repeat(3);
  const to = Array.from({ length: 400 }, (_, index) => `${"l".repeat(50)}${index}@${domain}test`);
  for (let count = 0; count < 60; count++) await sendMail(server, { from: "much", to });
}

/** Updates shadows with 7 KB, 1,000 times. */
async function updateShadows(server: Reachable): Promise<void> {
  for (let count = 0; count < 100; count++)
    await Promise.all(
      Array.from({ length: 10 }, (_, lane) =>
        updateShadow(server, `much-${lane}`, `${count} ${"x".repeat(7_000)}`),
      ),
    );
}

/** Appends events of 200 KB, 20 MB in all. */
async function appendLargeEvents(server: Reachable): Promise<void> {
  for (let count = 0; count < 100; count++) await appendEvent(server, journalId, "x".repeat(200_000));
}

async function deleteAllMail(server: Reachable): Promise<void> {
  const all = new URL("/api/v3/mail/messages?all=true", server.url("http"));
  const { status } = await fetch(all, { method: "DELETE" });
  if (status !== 200) throw new Error(`mail is not deleted: status ${status}`);
}

const stream = (path: string, provoke: BadClient["provoke"] & object): BadClient => ({
  open: at("http"),
  hello: httpGet(path),
  provoke,
});

/** A bad client for each endpoint. */
export const badClients: Readonly<Record<string, BadClient>> = {
  http: {
    open: at("http"),
    request: always(httpGet("/healthz")),
    large: always(httpGet("/api/v3/openapi.json")),
  },
  dynamodb: { open: at("dynamodb"), request: describeBig, large: readBig },
  commands: { open: tcp(({ access }) => access.endpoint), request: describeBig, large: readBig },
  smtp: {
    open: at("smtp"),
    hello: Buffer.from("EHLO x\r\n"),
    request: always(Buffer.from("NOOP\r\n")),
    large: always(Buffer.from("EHLO x\r\n".repeat(500))),
  },
  mqtt: { open: at("mqtt"), ...mqtt },
  "web socket /mqtt": { open: webSocket("mqtt", ["mqtt"]), ...mqtt },
  "web socket /api/v2/websocket": {
    open: webSocket("api/v2/websocket", []),
    provoke: sendLargeMails,
    tidy: deleteAllMail,
  },
  "stream /api/v1/events": { ...stream("/api/v1/events", sendLargeMails), tidy: deleteAllMail },
  "stream /api/v3/mail/events": {
    ...stream("/api/v3/mail/events", sendLargeEnvelopes),
    tidy: deleteAllMail,
    stalled: 25,
  },
  "stream /api/v3/shadow-events": { ...stream("/api/v3/shadow-events", updateShadows), stalled: 25 },
  "stream /api/v3/journals/:journal/ids/:id/events/live": stream(
    `/api/v3/journals/journal/ids/${journalId}/events/live`,
    appendLargeEvents,
  ),
  "stream /api/v3/journals/:journal/feed/live": stream(
    "/api/v3/journals/journal/feed/live",
    appendLargeEvents,
  ),
  "stream /api/v3/tables/:table/live": stream("/api/v3/tables/events/live", appendLargeEvents),
};
