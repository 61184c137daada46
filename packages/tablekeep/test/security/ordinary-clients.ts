import { randomBytes } from "node:crypto";
import { on, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { httpPort } from "@tablekeep/client";
import type { readFolderAccess } from "@tablekeep/engine";
import { connectAsync } from "mqtt";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { rawClient } from "../smtp/smtp-client.ts";
import { call } from "../wire/raw-dynamodb.ts";

/** Where a server can be reached. */
export interface Reachable {
  /** The URL of a listener. */
  url(listener: string): string;
  /** The keys of the listener `commands`. */
  readonly access: NonNullable<ReturnType<typeof readFolderAccess>>;
}

const unique = () => `n${randomBytes(6).toString("hex")}`;

/** One exchange of an ordinary client at each endpoint; resolves once the client has its answer. */
export const ordinaryClients: Readonly<Record<string, (at: Reachable) => Promise<void>>> = {
  async http(at) {
    const answer = await request(new URL("/healthz", at.url("http")));
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  },
  async dynamodb(at) {
    expect((await call(at.url("dynamodb"), "ListTables", {})).status).toBe(200);
  },
  async commands({ access: { endpoint, ...credentials } }) {
    await using port = httpPort({ endpoint, region: "us-east-1", credentials, deadlineMs: 120_000 });
    expect((await port.listTables({})).TableNames).toContain("mail");
  },
  smtp: (at) => sendMail(at, { from: unique() }),
  mqtt: (at) => mqttExchange(at.url("mqtt")),
  "web socket /mqtt": (at) => mqttExchange(`${at.url("http").replace("http", "ws")}mqtt`),
  async "web socket /api/v2/websocket"(at) {
    const socket = new WebSocket(`${at.url("http").replace("http", "ws")}api/v2/websocket`);
    await once(socket, "open");
    const from = unique();
    await untilReceived(from, on(socket, "message"), () => sendMail(at, { from }));
    socket.terminate();
  },
  "stream /api/v1/events": (at) => mailStream(at, "/api/v1/events"),
  "stream /api/v3/mail/events": (at) => mailStream(at, "/api/v3/mail/events"),
  async "stream /api/v3/shadow-events"(at) {
    const thing = unique();
    await streamExchange(at, `/api/v3/shadow-events?thing=${thing}`, thing, () =>
      updateShadow(at, thing, "x"),
    );
  },
  async "stream /api/v3/journals/:journal/ids/:id/events/live"(at) {
    const id = unique();
    const path = `/api/v3/journals/journal/ids/${id}/events/live`;
    await streamExchange(at, path, id, () => appendEvent(at, id, id));
  },
  async "stream /api/v3/journals/:journal/feed/live"(at) {
    const id = unique();
    const path = "/api/v3/journals/journal/feed/live?from=end";
    await streamExchange(at, path, id, () => appendEvent(at, id, id));
  },
  async "stream /api/v3/tables/:table/live"(at) {
    const id = unique();
    await streamExchange(at, "/api/v3/tables/events/live", id, () => appendEvent(at, id, id));
  },
};

async function mqttExchange(at: string): Promise<void> {
  const client = await connectAsync(at, { reconnectPeriod: 0 });
  const topic = `$aws/things/${unique()}/shadow/get`;
  const answered = new Promise((resolve) => client.once("message", resolve));
  await client.subscribeAsync(`${topic}/rejected`, { qos: 1 });
  await client.publishAsync(topic, "", { qos: 1 });
  await answered;
  await client.endAsync(true);
}

function mailStream(at: Reachable, path: string): Promise<void> {
  const from = unique();
  return streamExchange(at, path, from, () => sendMail(at, { from }));
}

async function streamExchange(at: Reachable, path: string, text: string, cause: () => Promise<void>) {
  const gone = new AbortController();
  const { body } = await request(new URL(path, at.url("http")), { signal: gone.signal });
  await untilReceived(text, (body as ReadableStream<Uint8Array>).values(), cause);
  gone.abort();
}

/** Causes events until `text` arrives: a stream starts a moment after its headers, and skips what came before. */
async function untilReceived(
  text: string,
  chunks: AsyncIterable<unknown>,
  cause: () => Promise<void>,
): Promise<void> {
  let received = "";
  let isOver = false;
  const reading = (async () => {
    for await (const chunk of chunks) {
      received += Buffer.from(Array.isArray(chunk) ? chunk[0] : chunk).toString("latin1");
      if (received.includes(text)) break;
    }
    isOver = true;
  })();
  while (!isOver) {
    await cause();
    await Promise.race([reading, pause(500)]);
  }
  await reading;
  expect(received).toContain(text);
}

/** Sends a message. */
export async function sendMail(
  at: Reachable,
  { from, to = ["c@d.test"], body = "x" }: { from: string; to?: readonly string[]; body?: string },
): Promise<void> {
  const client = await rawClient(at.url("smtp"));
  await client.say(`EHLO x\r\nMAIL FROM:<${from}@b.test>\r\n`, 2);
  await client.say(to.map((address) => `RCPT TO:<${address}>\r\n`).join(""), to.length);
  await client.say("DATA\r\n");
  expect(await client.say(`Subject: x\r\n\r\n${body}\r\n.\r\n`)).toMatch(/^250 /);
  client.socket.destroy();
}

/** Sets a desired value. */
export async function updateShadow(at: Reachable, thing: string, value: string): Promise<void> {
  await sendJson(at, "PATCH", `/api/v3/shadows/${thing}`, { desired: { value } });
}

/** Appends an event to the server's first journal. */
export async function appendEvent(at: Reachable, id: string, payload: string): Promise<void> {
  await sendJson(at, "POST", `/api/v3/journals/journal/ids/${id}/events`, { events: [{ payload }] });
}

/**
 * Sends a request, and again on another connection after 408: `fetch` may choose one that it opened before and never used, just when the
 * server closes it.
 */
async function request(url: URL, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  return answer.status === 408 ? fetch(url, init) : answer;
}

async function sendJson(at: Reachable, method: string, path: string, body: object): Promise<void> {
  const answer = await request(new URL(path, at.url("http")), { method, body: JSON.stringify(body) });
  expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.anything()]);
}
