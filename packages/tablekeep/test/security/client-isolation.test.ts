/**
 * For every endpoint: clients that stall, flood, disconnect in the middle or send garbage. All other clients,
 * at all endpoints, keep getting their answers, and the server keeps little in memory for the bad ones.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { readFolderAccess } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { readMetrics } from "../read-metrics.ts";
import { until } from "../shadow/packet-client.ts";
import { type ServedProcess, startServed } from "../shadow/served-process.ts";
import { tempFolder } from "../temp-folder.ts";
import { type BadClient, badClients, disconnectAll, storeBigItem } from "./bad-clients.ts";
import { longLivedEndpoints } from "./long-lived-endpoints.ts";
import { ordinaryClients, type Reachable } from "./ordinary-clients.ts";

interface Served extends Reachable {
  readonly process: ServedProcess;
}

/** SIGUSR2: an error that nobody catches, as a fault in a library's callback would be. SIGWINCH: garbage collection. */
const handlers =
  "--import=data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('planted')}).on('SIGWINCH',()=>gc())";

async function start(): Promise<Served> {
  const folder = tempFolder();
  const process = startServed(await buildProgram(), folder, [], ["--expose-gc", handlers], ["--feed"]);
  const urls = await process.urls;
  const access = readFolderAccess(folder);
  if (access === undefined) throw new Error("the listener for commands is not in the folder");
  return { process, access, url: (listener) => urls[listener] ?? "" };
}

let server: Served;
/** Has no bad clients: what it does meanwhile shows how fast the machine is. */
let control: Served;
beforeAll(async () => {
  server = await start();
  control = await start();
  await storeBigItem(server);
});
afterAll(async () => {
  // The server has survived all of it, and stops as it should.
  const ended = await Promise.allSettled([server, control].map(({ process }) => process.stop()));
  expect(ended).toEqual([server, control].map(() => ({ status: "fulfilled", value: 0 })));
});

const nothing = async () => Buffer.alloc(0);

/** The behaviors of bad clients. Each leaves its connections open, except for the one that disconnects. */
const behaviors: Readonly<Record<string, (client: BadClient) => Promise<void>>> = {
  async "stall and do not read"(client) {
    const { open, hello, request = nothing, large = request, provoke, stalled = 5 } = client;
    const [bytes, much] = [await request(server), await large(server)];
    for (let count = 0; count < stalled; count++) {
      const send = await open(server, false);
      if (hello) send(hello);
      // The last request is cut in the middle, and never continues.
      for (let requests = 0; requests < 200; requests++) send(much);
      send(bytes.subarray(0, bytes.length / 2));
    }
    await provoke?.(server);
  },
  async "flood the server with requests"({ open, hello, request = nothing }) {
    const bytes = await request(server);
    for (let count = 0; count < 5; count++) {
      const send = await open(server, true);
      if (hello) send(hello);
      for (let requests = 0; requests < 500; requests++) send(bytes);
    }
  },
  async "hang up in the middle"({ open, hello, request = nothing }) {
    const bytes = await request(server);
    for (let count = 0; count < 50; count++) {
      const send = await open(server, true);
      if (hello) send(hello);
      send(bytes);
      send(bytes.subarray(0, count % Math.max(1, bytes.length)));
      if (count % 2 === 0) await new Promise(setImmediate);
      disconnectAll();
    }
  },
  async "send garbage"({ open, hello }) {
    for (let count = 0; count < 30; count++) {
      const send = await open(server, true);
      if (count % 2 === 0 && hello) send(hello);
      send(randomBytes(1 + count * 300));
    }
  },
};

/** How many exchanges, `apartMs` apart, the control may complete while one of the server's takes place. */
const maxMeanwhile = 100;
const apartMs = 150;

/**
 * Runs an exchange; returns how many of the same kind the control completed meanwhile. It starts only if the exchange takes longer than
 * one usually does.
 */
async function exchangesMeanwhile(exchange: (at: Reachable) => Promise<void>): Promise<number> {
  let isOver = false;
  const running = exchange(server).finally(() => {
    isOver = true;
  });
  running.catch(() => {});
  const wait = () => Promise.race([running, pause(apartMs)]);
  await wait();
  let meanwhile = 0;
  for (; !isOver && meanwhile < maxMeanwhile; meanwhile++) {
    await exchange(control);
    await wait();
  }
  if (isOver) await running;
  return meanwhile;
}

/** The bytes that the server uses now, garbage included. */
async function usedBytes(): Promise<number> {
  const { value } = await readMetrics(server.url("http"));
  const bytes = (kind: string) => value(`tablekeep_memory_bytes{kind="${kind}"}`) ?? Number.NaN;
  return bytes("heap") + bytes("external");
}

/**
 * The bytes that the server keeps: what garbage collection leaves, the least of some readings. The first that is `enough` is the last.
 * It keeps no more than it uses, so garbage is collected only where it uses more than that.
 */
async function keptBytes(enough = 0): Promise<number> {
  let least = enough === 0 ? Number.POSITIVE_INFINITY : await usedBytes();
  for (let reading = 0; reading < (enough === 0 ? 3 : 12) && !(least <= enough); reading++) {
    server.process.signal("SIGWINCH");
    least = Math.min(least, await usedBytes());
  }
  return least;
}

/** Bytes that the server may keep for bad clients. With unbounded queues, those that stall cost 50 MB or more. */
const memoryBound = 32_000_000;

describe.each(Object.keys(badClients))("clients at %s that", (name) => {
  let before: number;
  beforeAll(async () => {
    before = await keptBytes();
  });

  test.each(Object.keys(behaviors))("%s harm nobody else", async (manner) => {
    const client = badClients[name] as BadClient;
    await behaviors[manner]?.(client);
    const atFirst = await keptBytes(before + memoryBound / 2);
    const starved = await Promise.all(
      Object.entries(ordinaryClients).map(async ([neighbor, exchange]) =>
        (await exchangesMeanwhile(exchange)) < maxMeanwhile ? [] : [neighbor],
      ),
    );
    expect(starved.flat()).toEqual([]);
    const kept = Math.max(atFirst, await keptBytes(before + memoryBound / 2)) - before;
    disconnectAll();
    expect(kept).toBeLessThan(memoryBound);
    await client.tidy?.(server);
  });
});

test("every endpoint of the server has bad and ordinary clients here", async () => {
  const endpoints = await longLivedEndpoints();
  expect(Object.keys(badClients).toSorted()).toEqual(endpoints);
  expect(Object.keys(ordinaryClients).toSorted()).toEqual(endpoints);
});

test("an uncaught error stops no listener, and /readyz reports it", async () => {
  const ready = async () => (await fetch(new URL("/readyz", server.url("http")))).status;
  expect(await ready()).toBe(200);
  server.process.signal("SIGUSR2");
  await until(async () => (await ready()) === 503);
  for (const exchange of Object.values(ordinaryClients)) await exchange(server);
});
