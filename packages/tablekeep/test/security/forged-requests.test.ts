/**
 * Pages of other sites: names that resolve to this server (DNS rebinding), and requests with a user's credentials
 * (CSRF, web sockets).
 */
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { send, target } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled, type KnownRoute } from "./every-route.ts";

let server: TestServer;
let routes: readonly KnownRoute[];
beforeAll(async () => {
  server = await startTestServer();
  routes = await everyRoute();
});
afterAll(() => server.stop());

const forgedHosts = [
  "evil.test",
  "localhost.evil.test",
  "127.0.0.1.evil.test",
  "127.0.0.1@evil.test",
  "evil.test#localhost",
  "evil.test\\localhost",
  "xlocalhost",
  "10.0.0.1",
  "0.0.0.0",
  "169.254.169.254",
  "[::ffff:10.0.0.1]",
  "[fe80::1]",
  "2130706433",
  "127.0.0.1.",
  "127.0.0.1 evil.test",
];

const bodyFor = (method: string) => (["POST", "PUT", "PATCH"].includes(method) ? "{}" : "");

/** The status with which a web socket is rejected; 101 if it is not. */
async function socketStatus(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(new URL(path, server.url.replace("http", "ws")), ["mqtt"], { headers });
  socket.on("error", () => {});
  const status = await Promise.race([
    once(socket, "open").then(() => 101),
    once(socket, "unexpected-response").then(([, response]) => Number(response.statusCode)),
  ]);
  socket.terminate();
  return status;
}

describe.each(forgedHosts)("the Host header %j is rejected", (name) => {
  const host = name;

  test("by every route", async () => {
    expect(routes.length).toBeGreaterThan(40);
    for (const { method, path } of routes) {
      const url = new URL(filled(path, "x"), server.url);
      const answer = await send(url.href, { host, origin: `http://${name}` }, bodyFor(method), method);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
  });

  test("by the DynamoDB endpoint", async () => {
    const { port } = new URL(server.dynamodbUrl);
    for (const each of [host, `${host}:${port}`]) {
      const answer = await send(server.dynamodbUrl, { ...target("ListTables"), host: each }, "{}");
      expect(answer.status).toBe(403);
    }
  });

  test.each(["/mqtt", "/api/v2/websocket"])("by the web socket %s", async (path) => {
    expect(await socketStatus(path, { host, origin: `http://${name}` })).toBe(403);
  });
});

/** Origins of pages that are not this server's, each as it comes from a browser. */
const forgedOrigins = () => {
  const { port } = new URL(server.url);
  return [
    "https://evil.test",
    "null",
    "http://localhost",
    `http://127.0.0.1:${Number(port) - 1}`,
    `http://127.0.0.1:${port}.evil.test`,
    `http://evil.test:${port}`,
    "file://",
    "chrome-extension://abcdefgh",
    "not a url",
  ];
};

describe("a page of another site", () => {
  test("changes nothing, by any route that could", async () => {
    const unsafe = routes.filter(({ method }) => !["GET", "HEAD"].includes(method));
    expect(unsafe.length).toBeGreaterThan(15);
    for (const { method, path } of unsafe) {
      for (const origin of forgedOrigins()) {
        const url = new URL(filled(path, "x"), server.url);
        const { status } = await send(url.href, { origin, host: url.host }, bodyFor(method), method);
        expect([method, path, origin, status]).toEqual([method, path, origin, 403]);
      }
    }
  });

  test("loads nothing as an image, a script or a style", async () => {
    const uses = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
    const read = routes.filter(({ method }) => method === "GET");
    expect(read.length).toBeGreaterThan(20);
    for (const { path } of read) {
      const url = new URL(filled(path, "x"), server.url);
      const { status } = await send(url.href, { ...uses, host: url.host }, "", "GET");
      expect([path, status]).toEqual([path, 403]);
    }
    const page = await send(
      server.url,
      { ...uses, "sec-fetch-mode": "navigate", host: new URL(server.url).host },
      "",
      "GET",
    );
    expect(page.status).toBe(200);
  });

  test("may read no response, and its preflight requests are not granted", async () => {
    for (const { method, path } of routes) {
      const url = new URL(filled(path, "x"), server.url);
      const headers = {
        origin: "https://evil.test",
        host: url.host,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type, authorization",
      };
      const asked = await send(url.href, headers, "", "OPTIONS");
      expect(asked.headers["access-control-allow-origin"], `OPTIONS ${path}`).toBeUndefined();
      if (method !== "GET") continue;
      const read = await send(url.href, headers, "", "GET");
      expect(read.headers["access-control-allow-origin"], path).toBeUndefined();
    }
  });

  test("reaches no table by the DynamoDB endpoint, with whatever a form or a script can send", async () => {
    for (const origin of forgedOrigins()) {
      const { host } = new URL(server.dynamodbUrl);
      for (const type of [undefined, "text/plain", "application/x-amz-json-1.0", "multipart/form-data"]) {
        const { "content-type": usual, ...named } = target("ListTables");
        const headers = { ...named, ...(type !== undefined && { "content-type": type }), origin, host };
        const answer = await send(server.dynamodbUrl, headers, "{}");
        expect([origin, type, answer.status, usual]).toEqual([origin, type, 403, usual]);
      }
      const asked = await send(server.dynamodbUrl, { origin, host }, "", "OPTIONS");
      expect(asked.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test.each(["/mqtt", "/api/v2/websocket"])("opens no web socket at %s", async (path) => {
    for (const origin of forgedOrigins())
      expect([origin, await socketStatus(path, { origin })]).toEqual([origin, 403]);
    expect(await socketStatus(path, { origin: server.url.slice(0, -1) })).toBe(101);
    expect(await socketStatus(path, {})).toBe(101);
  });
});
