import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer } from "../../test/loopback-server.ts";
import { httpPort } from "./http-port.ts";
import type { HttpPortOptions } from "./http-port-options.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
const put = { TableName: "carts", Item: { id: { S: "1" } } };
const get = { TableName: "carts", Key: { id: { S: "1" } } };
const update = { TableName: "carts", Key: { id: { S: "1" } }, UpdateExpression: "ADD n :one" };

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, {}));
});
afterEach(() => server.close());

const open = (options: HttpPortOptions = {}) =>
  httpPort({ endpoint: server.url, credentials, random: () => 0, ...options });

/** Runs `work`, which ends by itself and not before `ms`. */
async function notBefore(ms: number, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  expect(performance.now() - startedAt).toBeGreaterThan(ms - 5);
}

/** A TCP server that accepts and says nothing. */
async function silentServer(): Promise<{ server: Server; port: number; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  return {
    server: silent,
    port: (silent.address() as AddressInfo).port,
    close() {
      silent.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe("a hung server: the call ends at its deadline", () => {
  // Long enough to connect and send on a busy machine.
  const deadlineMs = 2_000;
  const hangs: [string, LoopbackServer["script"]][] = [
    ["that never answers", () => {}],
    [
      "that sends headers and stalls",
      (_, response) => {
        response.writeHead(200, { "content-length": 10 });
        response.flushHeaders();
      },
    ],
    [
      "that sends half of the body and stalls",
      (_, response) => {
        response.writeHead(200, { "content-length": 10 });
        response.write("{    ");
      },
    ],
    [
      "that trickles",
      async (_, response) => {
        response.writeHead(200, { "content-length": 1000 });
        while (!response.destroyed) {
          response.write(" ");
          await pause(20);
        }
      },
    ],
  ];
  test.each(hangs)("one %s", async (_, script) => {
    server.script = script;
    await using port = open();
    const calls = [
      [() => port.getItem(get, { deadlineMs }), false],
      [() => port.putItem(put, { deadlineMs }), true],
      [() => port.updateItem(update, { deadlineMs }), true],
    ] as const;
    const all = calls.map(([call, ambiguous]) =>
      notBefore(deadlineMs, async () => {
        expect(await failureOf(call())).toMatchObject({
          code: "CLIENT_DEADLINE_EXCEEDED",
          kind: "unavailable",
          ambiguous,
          details: { deadlineMs, attempts: 1 },
        });
      }),
    );
    await Promise.all(all);
  });

  test("one that accepts connections and reads nothing", async () => {
    const silent = await silentServer();
    await using port = open({ endpoint: `http://127.0.0.1:${silent.port}` });
    await notBefore(deadlineMs, async () => {
      const error = await failureOf(port.putItem(put, { deadlineMs }));
      expect(error).toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: true });
    });
    silent.close();
  });

  test("the port's own deadline counts where the call names none", async () => {
    server.script = () => {};
    // Slow is fine: the server never answers, and the call may end later.
    await using port = open({ deadlineMs: 200 });
    await notBefore(200, () => failureOf(port.getItem(get)));
  });

  test("a deadline of 0 is over before anything is sent", async () => {
    await using port = open();
    expect(await failureOf(port.putItem(put, { deadlineMs: 0 }))).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: false,
    });
    expect(server.seen.length).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "5" as never])(
    "rejects %s as a deadline",
    async (deadlineMs) => {
      await using port = open();
      expect(await failureOf(port.putItem(put, { deadlineMs }))).toMatchObject({
        code: "CLIENT_OPTION_INVALID",
        details: { option: "deadlineMs" },
      });
    },
  );
});

describe("timeouts of a connection", () => {
  test("abandons a silent connection, and sends the request on another", async () => {
    server.script = ({ number }, response) => {
      if (number > 2) answer(response, {});
    };
    await using port = open({ socketTimeoutMs: 1_000 });
    await notBefore(2_000, () => port.getItem(get));
    expect(server.sockets.total).toBe(3);
  });

  test("bytes that keep coming keep it", async () => {
    server.script = async (_, response) => {
      response.writeHead(200, { "content-length": 10 });
      for (const text of "{        }") {
        await pause(300);
        response.write(text);
      }
      response.end();
    };
    await using port = open({ socketTimeoutMs: 2_000 });
    await expect(port.getItem(get)).resolves.toEqual({});
    expect(server.seen.length).toBe(1);
  });

  test("a write that must not be repeated is ambiguous when its connection is silent", async () => {
    server.script = () => {};
    await using port = open({ socketTimeoutMs: 1_000 });
    expect(await failureOf(port.updateItem(update))).toMatchObject({
      code: "CLIENT_CONNECTION_LOST",
      ambiguous: true,
      details: { attempts: 1 },
    });
  });

  test("one that is not made in time sent nothing: nothing is ambiguous", async () => {
    // TLS towards a server that does not shake hands.
    const silent = await silentServer();
    await using port = open({
      endpoint: `https://127.0.0.1:${silent.port}`,
      connectTimeoutMs: 80,
      maxAttempts: 3,
    });
    await notBefore(240, async () => {
      expect(await failureOf(port.updateItem(update))).toMatchObject({
        code: "CLIENT_UNREACHABLE",
        ambiguous: false,
        details: { attempts: 3, endpoint: `https://127.0.0.1:${silent.port}` },
      });
    });
    silent.close();
  });

  test("an endpoint without a listener is reported as unreachable", async () => {
    const silent = await silentServer();
    silent.close();
    await using port = open({ endpoint: `http://127.0.0.1:${silent.port}`, maxAttempts: 4 });
    const error = await failureOf(port.updateItem(update));
    expect(error).toMatchObject({
      code: "CLIENT_UNREACHABLE",
      kind: "unavailable",
      ambiguous: false,
      details: { attempts: 4, reason: "ECONNREFUSED" },
    });
  });

  test("a host that does not exist is unreachable", async () => {
    await using port = open({ endpoint: "http://no-such-host.invalid", maxAttempts: 2 });
    expect(await failureOf(port.putItem(put))).toMatchObject({
      code: "CLIENT_UNREACHABLE",
      ambiguous: false,
    });
  });

  test("an unreachable endpoint ends inside the deadline with the reason, not later", async () => {
    const silent = await silentServer();
    silent.close();
    await using port = open({ endpoint: `http://127.0.0.1:${silent.port}`, random: () => 1 });
    expect(await failureOf(port.putItem(put, { deadlineMs: 2_000 }))).toMatchObject({
      code: "CLIENT_UNREACHABLE",
    });
  });
});
