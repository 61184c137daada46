import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect as dial, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer } from "../../test/loopback-server.ts";
import { httpPort } from "./http-port.ts";
import type { HttpPortOptions } from "./http-port-options.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
const put = { TableName: "carts", Item: { id: { S: "1" } } };

/** A key and certificate for 127.0.0.1 that only these tests trust. */
const fixture = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/loopback-only.${name}.pem`, import.meta.url), "utf8");
const tls = { key: fixture("key"), cert: fixture("cert") };

interface Proxy {
  readonly url: string;
  /** The targets of the clients' CONNECT requests, and their authorization. */
  readonly asked: { target: string | undefined; authorization: string | undefined }[];
  /** The status that the proxy answers instead of connecting. */
  rejectWith: number | undefined;
  close(): void;
}

async function startProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server: Server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, client: Socket) => {
    self.asked.push({ target: request.url, authorization: request.headers["proxy-authorization"] });
    sockets.add(client);
    client.on("error", () => {});
    if (self.rejectWith !== undefined) {
      client.end(`HTTP/1.1 ${self.rejectWith} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [host, port] = String(request.url).split(":");
    const upstream = dial(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const self: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    rejectWith: undefined,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return self;
}

let server: LoopbackServer;
let proxy: Proxy;
let secure: { url: string; close(): void };

beforeAll(async () => {
  const https = createHttpsServer(tls, (request, response) => {
    request.resume().on("end", () => answer(response, { Item: {} }));
  });
  await new Promise<void>((resolve) => https.listen(0, "127.0.0.1", resolve));
  secure = {
    url: `https://127.0.0.1:${(https.address() as AddressInfo).port}`,
    close() {
      https.close();
      https.closeAllConnections();
    },
  };
});
afterAll(() => secure.close());
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, {}));
  proxy = await startProxy();
});
afterEach(async () => {
  proxy.close();
  await server.close();
});

const open = (options: HttpPortOptions = {}) =>
  httpPort({ endpoint: server.url, credentials, random: () => 0, ...options });

describe("a proxy", () => {
  test("carries the calls to the endpoint", async () => {
    await using port = open({ proxy: proxy.url });
    for (let i = 0; i < 5; i++) await port.putItem(put);
    expect(server.seen.length).toBe(5);
    expect(server.seen[0]?.headers.host).toBe(new URL(server.url).host);
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([new URL(server.url).host]));
  });

  test("gets user and password, and the endpoint does not", async () => {
    await using port = open({ proxy: proxy.url.replace("//", "//ann:p%40ss%3A@") });
    await port.putItem(put);
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${Buffer.from("ann:p@ss:").toString("base64")}`);
    expect(JSON.stringify(server.seen[0]?.headers)).not.toContain("Basic");
  });

  test("carries TLS to the endpoint", async () => {
    await using port = open({ proxy: proxy.url, endpoint: secure.url, tlsCa: tls.cert });
    await expect(port.getItem({ TableName: "t", Key: {} })).resolves.toEqual({ Item: {} });
    expect(proxy.asked.length).toBe(1);
  });

  test.each([403, 407, 502])(
    "that rejects with %i makes the endpoint unreachable: nothing was sent",
    async (status) => {
      proxy.rejectWith = status;
      await using port = open({ proxy: proxy.url, maxAttempts: 2 });
      const error = await failureOf(port.updateItem({ TableName: "t", Key: {} }));
      expect(error).toMatchObject({
        code: "CLIENT_UNREACHABLE",
        ambiguous: false,
        details: { attempts: 2, reason: expect.stringContaining(String(status)) },
      });
      expect(server.seen.length).toBe(0);
    },
  );

  test("that is not there makes the endpoint unreachable", async () => {
    proxy.close();
    await using port = open({ proxy: proxy.url, maxAttempts: 2 });
    expect(await failureOf(port.putItem(put))).toMatchObject({
      code: "CLIENT_UNREACHABLE",
      ambiguous: false,
      details: { reason: "ECONNREFUSED" },
    });
  });

  test("keeps the bound on connections", async () => {
    await using port = open({ proxy: proxy.url, maxConnections: 3 });
    await Promise.all(Array.from({ length: 60 }, () => port.putItem(put)));
    expect(server.seen.length).toBe(60);
    expect(server.sockets.peak).toBeLessThanOrEqual(3);
  });

  test("its tunnels are replaced after their life", async () => {
    await using port = open({ proxy: proxy.url, maxConnections: 2, connectionLifeMs: 10, maxAttempts: 1 });
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 10 }, () => port.updateItem({ TableName: "t", Key: {} })));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(server.seen.length).toBe(60);
    expect(proxy.asked.length).toBeGreaterThan(4);
    // The server may see a new connection a moment before the end of the old one.
    expect(server.sockets.peak).toBeLessThanOrEqual(2 * 2);
  });

  test("its password is in no error", async () => {
    proxy.rejectWith = 407;
    await using port = open({ proxy: proxy.url.replace("//", "//ann:canary@"), maxAttempts: 1 });
    const error = await failureOf(port.putItem(put));
    expect(`${error.stack} ${JSON.stringify(error)} ${(error.cause as Error).stack}`).not.toContain("canary");
  });
});

describe("TLS", () => {
  test("is rejected for an untrusted certificate", async () => {
    await using port = open({ endpoint: secure.url, maxAttempts: 2 });
    expect(await failureOf(port.updateItem({ TableName: "t", Key: {} }))).toMatchObject({
      code: "CLIENT_UNREACHABLE",
      ambiguous: false,
    });
  });

  test.each([
    ["its authority is given", () => ({ tlsCa: tls.cert })],
    ["one of the given authorities is its own", () => ({ tlsCa: [tls.cert] })],
    ["any certificate will do", () => ({ tlsInsecure: true })],
  ])("is accepted when %s", async (_, options) => {
    await using port = open({ endpoint: secure.url, ...options() });
    await expect(port.getItem({ TableName: "t", Key: {} })).resolves.toEqual({ Item: {} });
  });
});
