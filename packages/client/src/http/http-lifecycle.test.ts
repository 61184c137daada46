import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer, reject } from "../../test/loopback-server.ts";
import { httpPort } from "./http-port.ts";
import type { HttpPortOptions } from "./http-port-options.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
const put = { TableName: "carts", Item: { id: { S: "1" } } };
const get = { TableName: "carts", Key: { id: { S: "1" } } };

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, {}));
});
afterEach(() => server.close());

const open = (options: HttpPortOptions = {}) =>
  httpPort({ endpoint: server.url, credentials, random: () => 0, ...options });

/** Waits until `done`. */
const until = (done: () => boolean): Promise<void> => expect.poll(done, { interval: 10 }).toBe(true);

describe("the bound on connections", () => {
  test.each([1, 3, 7])("of %i holds for any number of calls", async (maxConnections) => {
    server.script = async (_, response) => {
      await pause(2);
      answer(response, {});
    };
    await using port = open({ maxConnections });
    await Promise.all(Array.from({ length: 200 }, () => port.putItem(put)));
    expect(server.seen.length).toBe(200);
    expect(server.sockets.peak).toBeLessThanOrEqual(maxConnections);
    expect(server.sockets.total).toBeLessThanOrEqual(maxConnections);
  });

  test("holds while connections break and calls give up", async () => {
    server.script = async ({ number, body }, response) => {
      await pause(number % 5);
      if (number % 3 === 0) response.destroy();
      else if (number % 7 !== 0 || body["TableName"] === "patient") answer(response, {});
    };
    await using port = open({ maxConnections: 4, maxAttempts: 1_000, retryBudget: 100_000 });
    const patient = Array.from({ length: 75 }, () =>
      port.putItem({ ...put, TableName: "patient" }, { deadlineMs: 120_000 }),
    );
    // Any of them may succeed or give up, at any point.
    const hasty = Array.from({ length: 75 }, () => port.putItem(put, { deadlineMs: 40 }));
    await Promise.allSettled(hasty);
    await expect(Promise.all(patient)).resolves.toHaveLength(75);
    // The server may see a new connection a moment before the end of the old one.
    expect(server.sockets.peak).toBeLessThanOrEqual(2 * 4);
  });

  test("a call that finds none free waits for one no longer than its deadline, and was never sent", async () => {
    server.script = () => {};
    const clock = fakeClock();
    await using port = open({ maxConnections: 1, clock });
    const first = failureOf(port.putItem(put, { deadlineMs: 400 }));
    await until(() => server.seen.length === 1);
    const waiting = failureOf(port.putItem(put, { deadlineMs: 100 }));
    await clock.advance(100);
    const second = await waiting;
    expect(second).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: false,
      details: { deadlineMs: 100, stage: "waiting" },
    });
    await clock.advance(300);
    expect(await first).toMatchObject({ ambiguous: true, details: { stage: "sent" } });
    expect(server.seen.length).toBe(1);
  });

  test("calls that waited are sent in their order", async () => {
    server.script = async (_, response) => {
      await pause(1);
      answer(response, {});
    };
    await using port = open({ maxConnections: 1 });
    const ids = Array.from({ length: 50 }, (_, i) => String(i));
    await Promise.all(ids.map((id) => port.putItem({ TableName: "t", Item: { id: { S: id } } })));
    expect(server.seen.map(({ body }) => (body["Item"] as { id: { S: string } }).id.S)).toEqual(ids);
  });
});

describe("the bound on calls that wait for a connection", () => {
  const busy = { code: "CLIENT_BUSY", kind: "throttled", retryable: true, ambiguous: false };

  test("rejects further calls at once and unsent, and those that wait are served", async () => {
    const held: (() => void)[] = [];
    server.script = (_, response) => void held.push(() => answer(response, {}));
    await using port = open({ maxConnections: 2, maxWaiting: 3, deadlineMs: 120_000 });
    // The first calls also wait until the connections can be opened.
    const accepted = Array.from({ length: 5 }, () => port.putItem(put));
    expect(await failureOf(port.putItem(put))).toMatchObject({
      ...busy,
      details: { endpoint: server.url, waiting: 5, attempts: 1 },
    });
    await until(() => held.length === 2);
    expect(await failureOf(port.putItem(put))).toMatchObject({ ...busy, details: { waiting: 3 } });
    held.shift()?.();
    await Promise.race(accepted);
    const next = port.putItem(put);
    expect(await failureOf(port.putItem(put))).toMatchObject(busy);
    server.script = (_, response) => answer(response, {});
    for (const release of held) release();
    await Promise.all([...accepted, next]);
    expect(server.seen.length).toBe(6);
    expect(await port.putItem(put)).toEqual({});
  });

  test("counts neither calls that were aborted nor those past their deadline", async () => {
    server.script = () => {};
    const clock = fakeClock();
    await using port = open({ maxConnections: 1, maxWaiting: 1, clock });
    const first = failureOf(port.putItem(put, { deadlineMs: 400 }));
    await until(() => server.seen.length === 1);
    const gone = new AbortController();
    const aborted = failureOf(port.putItem(put, { signal: gone.signal, deadlineMs: 400 }));
    expect(await failureOf(port.putItem(put))).toMatchObject(busy);
    gone.abort();
    expect(await aborted).toMatchObject({ code: "CLIENT_ABORTED" });
    const late = failureOf(port.putItem(put, { deadlineMs: 100 }));
    expect(await failureOf(port.putItem(put))).toMatchObject(busy);
    await clock.advance(100);
    expect(await late).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" });
    const last = failureOf(port.putItem(put, { deadlineMs: 100 }));
    await clock.advance(300);
    expect(await last).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED" });
    await first;
  });

  test("leaves the retry budget to calls that were sent", async () => {
    const held: (() => void)[] = [];
    server.script = ({ number }, response) =>
      number === 1 ? void held.push(() => answer(response, {})) : reject(response, "ThrottlingException");
    await using port = open({ maxConnections: 1, maxWaiting: 0, retryBudget: 5, deadlineMs: 120_000 });
    const first = port.putItem(put);
    await until(() => held.length === 1);
    for (let i = 0; i < 20; i++) expect(await failureOf(port.putItem(put))).toMatchObject(busy);
    held[0]?.();
    await first;
    expect(await failureOf(port.putItem(put))).toMatchObject({ details: { attempts: 2 } });
  });

  test("keeps a write ambiguous whose first answer was lost", async () => {
    const held: (() => void)[] = [];
    server.script = ({ number }, response) =>
      number === 1 ? void response.destroy() : void held.push(() => answer(response, {}));
    const clock = fakeClock();
    let retries = 0;
    const random = () => {
      retries++;
      return 1;
    };
    await using port = open({ maxConnections: 1, maxWaiting: 0, clock, random });
    const lost = failureOf(port.putItem(put));
    // The port draws a number once it has seen the broken connection: before, it is still the one that a call may have.
    await until(() => retries === 1 && clock.pending === 1 && server.sockets.closed === 1);
    const other = port.putItem(put);
    await until(() => held.length === 1);
    await clock.advance(1_000);
    expect(await lost).toMatchObject({ ...busy, ambiguous: true, details: { attempts: 2 } });
    held[0]?.();
    await other;
  });
});

describe("an abort", () => {
  test("before the call sends nothing", async () => {
    await using port = open();
    const error = await failureOf(port.putItem(put, { signal: AbortSignal.abort(new Error("no")) }));
    expect(error).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false, cause: { message: "no" } });
    expect(server.seen.length).toBe(0);
  });

  test("while waiting for a connection sends nothing", async () => {
    server.script = () => {};
    await using port = open({ maxConnections: 1 });
    const end = new AbortController();
    const first = failureOf(port.putItem(put, { signal: end.signal, deadlineMs: 120_000 }));
    await until(() => server.seen.length === 1);
    const controller = new AbortController();
    const second = failureOf(port.putItem(put, { signal: controller.signal }));
    await pause(20);
    controller.abort();
    expect(await second).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false });
    end.abort();
    await first;
    expect(server.seen.length).toBe(1);
  });

  test("while waiting for the answer makes a write ambiguous and closes its connection", async () => {
    server.script = () => {};
    await using port = open();
    const controller = new AbortController();
    const call = failureOf(port.putItem(put, { signal: controller.signal }));
    await until(() => server.seen.length === 1);
    controller.abort();
    expect(await call).toMatchObject({ code: "CLIENT_ABORTED", kind: "aborted", ambiguous: true });
    await until(() => server.sockets.closed === 1);
    expect(server.seen.length).toBe(1);
  });

  test("in the middle of the body leaves a read unambiguous", async () => {
    server.script = (_, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("{");
    };
    await using port = open();
    const controller = new AbortController();
    const call = failureOf(port.getItem(get, { signal: controller.signal }));
    await until(() => server.seen.length === 1);
    await pause(20);
    controller.abort();
    expect(await call).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false });
  });

  test("between two attempts ends the wait", async () => {
    server.script = (_, response) => reject(response, "ThrottlingException");
    // The first two waits between attempts are skipped, the third never ends.
    const waits: number[] = [];
    const after: typeof systemClock.after = (ms, ring) => {
      if (![50, 100, 200].includes(ms)) return () => {};
      waits.push(ms);
      if (ms < 200) queueMicrotask(ring);
      return () => {};
    };
    await using port = open({ random: () => 1, clock: { ...systemClock, after } });
    const controller = new AbortController();
    const call = failureOf(port.putItem(put, { signal: controller.signal, deadlineMs: 120_000 }));
    await until(() => waits.length === 3);
    controller.abort();
    expect(await call).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false, details: { attempts: 3 } });
  });

  test("while credentials are fetched ends the call", async () => {
    await using port = open({ credentials: () => new Promise(() => {}) });
    const controller = new AbortController();
    const call = failureOf(port.putItem(put, { signal: controller.signal }));
    await pause(20);
    controller.abort();
    expect(await call).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false });
    const late = await failureOf(port.putItem(put, { deadlineMs: 50 }));
    expect(late).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: false });
  });

  test("at any moment between a call and its request is heard", async () => {
    server.script = () => {};
    await using port = open({ credentials: async () => credentials });
    for (let ticks = 0; ticks < 40; ticks++) {
      const caller = new AbortController();
      const call = failureOf(port.putItem(put, { signal: caller.signal, deadlineMs: 2000 }));
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      caller.abort();
      expect([ticks, (await call).code]).toEqual([ticks, "CLIENT_ABORTED"]);
    }
  });

  test("after the answer changes nothing, and a signal used for many calls keeps no listeners", async () => {
    await using port = open();
    const controller = new AbortController();
    let listeners = 0;
    const signal = controller.signal;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    for (let i = 0; i < 20; i++) await port.getItem(get, { signal });
    expect(listeners).toBe(0);
    controller.abort();
    expect(server.seen.length).toBe(20);
  });
});

describe("closing", () => {
  test("waits for calls in flight, rejects new ones and may be called twice", async () => {
    server.script = async (_, response) => {
      await pause(50);
      answer(response, { Item: { id: { S: "1" } } });
    };
    const port = open();
    const call = port.getItem(get);
    await until(() => server.seen.length === 1);
    const closed = Promise.all([port.close(), port.close()]);
    expect(await failureOf(port.getItem(get))).toMatchObject({ code: "CLIENT_CLOSED", kind: "closed" });
    await expect(call).resolves.toEqual({ Item: { id: { S: "1" } } });
    await closed;
    await port.close();
    await until(() => server.sockets.open === 0);
    expect(await failureOf(port.getItem(get))).toMatchObject({ code: "CLIENT_CLOSED" });
  });

  test("lets a call that waits for its next attempt finish", async () => {
    server.script = ({ number }, response) =>
      number === 1 ? reject(response, "ThrottlingException") : answer(response, {});
    const port = open({ random: () => 1 });
    const call = port.putItem(put);
    await until(() => server.seen.length === 1);
    await port.close();
    await expect(call).resolves.toEqual({});
  });

  test("a port never used closes at once", async () => {
    await open().close();
  });

  test("leaves no sockets and no timers", async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const port = open({ maxConnections: 5 });
    await Promise.all(Array.from({ length: 40 }, () => port.putItem(put)));
    await port.close();
    await until(() => server.sockets.open === 0);
    const after = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    expect(after).toBeLessThanOrEqual(before);
  });
});

describe("connections", () => {
  test("are kept between calls and closed once idle for long", async () => {
    await using port = open({ keepAliveMs: 120_000 });
    for (let i = 0; i < 20; i++) await port.putItem(put);
    expect(server.sockets.total).toBeLessThanOrEqual(2);
    await port.close();
    await using hasty = open({ keepAliveMs: 150 });
    await hasty.putItem(put);
    await until(() => server.sockets.open === 0);
  });

  test("are replaced after their life", async () => {
    await using port = open({ connectionLifeMs: 30 });
    for (let i = 0; i < 12; i++) {
      await port.putItem(put);
      await pause(10);
    }
    expect(server.sockets.total).toBeGreaterThan(2);
  });

  test("are replaced under load without a call lost or the bound broken", async () => {
    server.script = async (_, response) => {
      await pause(1);
      answer(response, {});
    };
    await using port = open({ connectionLifeMs: 10, maxConnections: 3, maxAttempts: 1 });
    const writer = async () => {
      for (let i = 0; i < 30; i++) await port.updateItem({ TableName: "t", Key: {} });
    };
    await Promise.all(Array.from({ length: 12 }, writer));
    expect(server.seen.length).toBe(360);
    expect(server.sockets.total).toBeGreaterThan(6);
    // The server may see a new connection a moment before the end of the old one.
    expect(server.sockets.peak).toBeLessThanOrEqual(2 * 3);
  });

  test("start from the given address", async () => {
    let from: string | undefined;
    server.onConnection = (socket) => {
      from = socket.remoteAddress;
    };
    await using port = open({ localAddress: "127.0.0.2" });
    await port.putItem(put);
    expect(from).toBe("127.0.0.2");
  });

  test("that the server closed while idle do not harm the next call", async () => {
    await using port = open();
    await port.putItem(put);
    const first = server.sockets.total;
    server.closeIdle();
    await pause(20);
    await expect(port.updateItem({ TableName: "t", Key: {} })).resolves.toEqual({});
    expect(server.sockets.total).toBeGreaterThan(first);
  });
});
