import { once } from "node:events";
import { ensureTable } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { mailTableSpec } from "@tablekeep/mail";
import { createTransport } from "nodemailer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type RunningServer, startServer } from "../src/server/start-server.ts";

let engine: Engine;
const running = new Set<RunningServer>();

beforeEach(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, mailTableSpec({}));
});
afterEach(async () => {
  for (const server of running) await server.stop();
  running.clear();
  await engine.close();
});

/** One more server on the same table. */
async function startOne(): Promise<RunningServer> {
  const server = await startServer({
    port: engine,
    httpPort: 0,
    smtpPort: 0,
    mqtt: false,
    journals: [],
    shadows: false,
    mail: { store: { pollMs: 50 } },
  });
  running.add(server);
  return server;
}

const urlOf = (server: RunningServer, listener: string) =>
  server.listeners.find(({ name }) => name === listener)?.url ?? "";

/** Sends messages over SMTP, several at a time, and returns the ids that the server reported. */
async function send(server: RunningServer, count: number): Promise<string[]> {
  const transport = createTransport(`${urlOf(server, "smtp")}?pool=true&maxConnections=4`);
  const envelope = { from: "a@b.example", to: ["c@d.example"] };
  const sent = await Promise.all(
    Array.from({ length: count }, () => transport.sendMail({ envelope, raw: "Subject: x\r\n\r\nx\r\n" })),
  );
  transport.close();
  return sent.map(({ response }) => /^250 Ok: queued as (\S+)$/.exec(response)?.[1] ?? response);
}

/** The ids that a web socket of a server receives, as they arrive. */
async function follow(server: RunningServer): Promise<{ ids: string[]; closed: Promise<unknown> }> {
  const ids: string[] = [];
  const socket = new WebSocket(`${urlOf(server, "http").replace("http", "ws")}api/v2/websocket`);
  socket.on("message", (frame) => ids.push((JSON.parse(String(frame)) as { ID: string }).ID));
  await once(socket, "open");
  return { ids, closed: once(socket, "close") };
}

async function expectIds(followed: { readonly ids: readonly string[] }, sent: readonly string[]) {
  await expect.poll(() => followed.ids.length).toBeGreaterThanOrEqual(sent.length);
  expect(followed.ids.toSorted()).toEqual(sent.toSorted());
}

describe("two servers on one table", () => {
  test("push every message once, with the id that SMTP reported, whichever received it, across restarts of either", async () => {
    const stays = await startOne();
    const first = await startOne();
    const [atStays, atFirst] = [await follow(stays), await follow(first)];
    const before = (await Promise.all([send(stays, 40), send(first, 40)])).flat();
    expect(new Set(before).size).toBe(80);
    await expectIds(atStays, before);
    await expectIds(atFirst, before);

    await first.stop();
    await atFirst.closed;
    const second = await startOne();
    const atSecond = await follow(second);
    const after = (await Promise.all([send(stays, 20), send(second, 20)])).flat();
    await expectIds(atSecond, after);
    await expectIds(atStays, [...before, ...after]);

    await stays.stop();
    await atStays.closed;
    const third = await startOne();
    const atThird = await follow(third);
    const last: string[] = [];
    // Each of these needs another poll of the other server: a duplicate would have been pushed by then.
    for (let n = 0; n < 5; n++) {
      last.push(...(await send(third, 1)), ...(await send(second, 1)));
      await expectIds(atThird, last);
      await expectIds(atSecond, [...after, ...last]);
    }
    expect(atFirst.ids).toHaveLength(before.length);
  });

  test("a client of events that reconnects misses no message that another server received meanwhile", async () => {
    const stays = await startOne();
    const first = await startOne();
    const stream = await eventsOf(first);
    const before = await send(stays, 5);
    const seen = await stream.take(5);
    expect(seen.toSorted()).toEqual(before.toSorted());
    await first.stop();
    const missed = await send(stays, 10);
    const again = await eventsOf(await startOne(), before.toSorted().at(-1));
    const next = await send(stays, 5);
    expect((await again.take(15)).toSorted()).toEqual([...missed, ...next].toSorted());
    again.stop();
  });
});

describe("a client of events that disconnects repeatedly", () => {
  test("gets every message once, also those with a slow commit", async () => {
    const server = await startOne();
    const transport = createTransport(`${urlOf(server, "smtp")}?pool=true&maxConnections=8`);
    // A message with many recipients needs many requests between its id and its commit.
    const many = Array.from({ length: 200 }, (_, n) => `r${n}@d.example`);
    const sending = Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const envelope = { from: "a@b.example", to: n % 3 === 0 ? many : ["c@d.example"] };
        const { response } = await transport.sendMail({ envelope, raw: "Subject: x\r\n\r\nx\r\n" });
        return /queued as (\S+)$/.exec(response)?.[1] ?? response;
      }),
    );
    const answer = await fetch(`${urlOf(server, "http")}api/v3/mail/wait?after=&timeoutMs=50000`);
    const { message } = (await answer.json()) as { message: { id: string; cursor: string } };
    const seen = [message.id];
    let { cursor } = message;
    while (seen.length < 60) {
      const stream = await eventsOf(server, cursor);
      const taken = (await stream.take(Math.min(5, 60 - seen.length))).slice(0, 5);
      seen.push(...taken);
      cursor = stream.cursors()[taken.length - 1] ?? "";
      stream.stop();
    }
    expect(seen.toSorted()).toEqual((await sending).toSorted());
    transport.close();
  });

  test("is served from now on if its last id is not of this store", async () => {
    const server = await startOne();
    const stream = await eventsOf(server, "not-an-id");
    const sent = await send(server, 3);
    expect((await stream.take(3)).toSorted()).toEqual(sent.toSorted());
    stream.stop();
  });
});

/** The ids of a stream of events. */
async function eventsOf(server: RunningServer, lastId?: string) {
  const gone = new AbortController();
  const answer = await fetch(`${urlOf(server, "http")}api/v3/mail/events`, {
    headers: lastId === undefined ? {} : { "last-event-id": lastId },
    signal: gone.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    stop: () => gone.abort(),
    cursors: () => [...text.matchAll(/^id: ?(\S+)$/gm)].map(([, cursor = ""]) => cursor),
    async take(count: number): Promise<string[]> {
      const ids = () => [...text.matchAll(/^data: \{"id":"([^"]+)"/gm)].map(([, id = ""]) => id);
      while (ids().length < count) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) break;
        text += value ?? "";
      }
      return ids();
    },
  };
}
