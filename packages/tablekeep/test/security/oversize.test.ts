/** Every listener rejects oversized input, and continues to serve other clients. */
import { once } from "node:events";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { mqttLimits } from "../../src/server/mqtt/protocol/mqtt-limits.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { rawClient } from "../smtp/smtp-client.ts";
import { openSocket } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled } from "./every-route.ts";
import { readAll, readFirst } from "./read-socket.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The first line of the answer to bytes that are sent as they are. */
async function statusLine(url: string, head: string, body: readonly Buffer[] = []): Promise<string> {
  const socket = await openSocket(url);
  const first = readFirst(socket);
  socket.write(head);
  for (const part of body) socket.write(part);
  const output = await first;
  socket.destroy();
  return output.split("\r\n")[0] ?? "";
}

/** Rejected, or cut off so early that the rejection was lost. */
const rejected = /^(?:$|HTTP\/1\.1 4\d\d )/;
/** Except for the routes of Jim and of unknown paths, which do not read bodies. */
const routesWithBody = async () =>
  (await everyRoute()).filter(
    ({ method, path }) => ["POST", "PUT"].includes(method) && !/\/(?:jim|\*rest)$/.test(path),
  );
/** MailHog says 500 to a release that it cannot read. */
const rejectionOf = (path: string) =>
  /^(?:\/inbox\/:inbox)?\/api\/v1\//.test(path) ? /^(?:$|HTTP\/1\.1 500 )/ : rejected;
const mebibyte = Buffer.alloc(1024 * 1024, "x");

describe("http", () => {
  test("every route with a body rejects one that is declared too large before it is sent", async () => {
    const routes = await routesWithBody();
    for (const { method, path } of routes) {
      const head = `${method} ${filled(path, "x")} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000000000\r\n\r\n`;
      expect(await statusLine(server.url, head), `${method} ${path}`).toMatch(rejectionOf(path));
    }
  });

  test("every route with a body cuts off a body of undeclared size", async () => {
    const routes = await routesWithBody();
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), mebibyte, Buffer.from("\r\n")]);
    for (const { method, path } of routes) {
      const head = `${method} ${filled(path, "x")} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n`;
      // More than the largest limit, which is that of mail that is sent over HTTP.
      const body = Array.from({ length: 120 }, () => chunk);
      expect(await statusLine(server.url, head, body), `${method} ${path}`).toMatch(rejectionOf(path));
    }
  });

  test.each([
    ["a header of 20 KB", `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"a".repeat(20_000)}\r\n\r\n`],
    ["10,000 headers", `GET / HTTP/1.1\r\nhost: localhost\r\n${"x: y\r\n".repeat(10_000)}\r\n`],
    ["a target of 20 KB", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
    ["a method of 20 KB", `${"G".repeat(20_000)} / HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  ])("%s is rejected", async (_what, request) => {
    for (const url of [server.url, server.dynamodbUrl])
      expect(await statusLine(url, request)).toMatch(rejected);
  });

  test("trailers without an end are cut off", async () => {
    const socket = await openSocket(server.url);
    socket.on("error", () => {});
    const head =
      "POST /things/a/shadow HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n";
    socket.write(head + "x: y\r\n".repeat(100_000));
    expect(await readAll(socket)).toMatch(rejected);
  });

  test("JSON with 100,000 levels is a client error", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    for (const [path, body] of [
      ["/api/v3/journals/journal/ids/deep/events", `{"events":[{"payload":${deep}}]}`],
      ["/things/deep/shadow", `{"state":{"desired":{"a":${deep}}}}`],
    ] as const) {
      const { status } = await fetch(new URL(path, server.url), { method: "POST", body });
      expect([path, Math.floor(status / 100)]).toEqual([path, 4]);
    }
  });
});

describe("smtp", () => {
  test("rejects a command line of 1 MB, and reads the next one", async () => {
    const client = await rawClient(server.smtpUrl);
    expect(await client.say(`EHLO ${"a".repeat(1024 * 1024)}\r\n`)).toMatch(/^5\d\d /);
    expect(await client.say("NOOP\r\n")).toMatch(/^250 /);
    client.socket.destroy();
  });

  test("rejects a message with a line of 2 MB, and accepts the next message", async () => {
    const client = await rawClient(server.smtpUrl);
    const envelope = "MAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n";
    await client.say(`EHLO a\r\n${envelope}`, 4);
    expect(await client.say(`${"x".repeat(2 * 1024 * 1024)}\r\n.\r\n`)).toMatch(/^5\d\d /);
    expect(await client.say(envelope, 3)).toMatch(/\r\n354 /);
    expect(await client.say("Subject: x\r\n\r\nx\r\n.\r\n")).toMatch(/^250 /);
    client.socket.destroy();
  });

  test("rejects a declared size that is too large before the message is sent", async () => {
    const client = await rawClient(server.smtpUrl);
    await client.say("EHLO a\r\n");
    expect(await client.say("MAIL FROM:<a@b.test> SIZE=99999999999\r\n")).toMatch(/^552 /);
    client.socket.destroy();
  });
});

describe("mqtt", () => {
  const tooLarge = Buffer.alloc(mqttLimits.packetBytes + 1, "x");

  test("a packet that is too large ends its connection, and no other", async () => {
    const other = await connectAsync(server.mqttUrl);
    const client = await connectAsync(server.mqttUrl, { reconnectPeriod: 0 });
    client.on("error", () => {});
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
    client.publish("a/b", tooLarge);
    await closed;
    await other.publishAsync("a/b", "c", { qos: 1 });
    await other.endAsync();
  });

  test("a frame of a web socket that is too large ends its connection", async () => {
    const socket = new WebSocket(new URL("/mqtt", server.url.replace("http", "ws")), "mqtt");
    await once(socket, "open");
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.send(Buffer.alloc(300 * 1024));
    await closed;
  });

  test.each([
    [
      "a client id of 64 KB",
      () => connectAsync(server.mqttUrl, { clientId: "a".repeat(65_000), reconnectPeriod: 0 }, false),
    ],
  ])("%s is rejected", async (_what, connecting) => {
    await expect(connecting()).rejects.toThrow();
  });
});

test("every listener still serves afterwards", async () => {
  expect((await fetch(new URL("/healthz", server.url))).status).toBe(200);
  expect((await fetch(server.dynamodbUrl)).status).toBe(200);
  const client = await connectAsync(server.mqttUrl);
  await client.publishAsync("$aws/things/lamp/shadow/update", '{"state":{"desired":{"on":1}}}', { qos: 1 });
  await client.endAsync();
  expect((await fetch(new URL("/things/lamp/shadow", server.url))).status).toBe(200);
});
