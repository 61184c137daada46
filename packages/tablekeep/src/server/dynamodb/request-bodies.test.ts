import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { silentLogger } from "@tablekeep/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dynamoDbHandler } from "./dynamodb-handler.ts";

/** A backend that holds requests until the test releases them. */
let release = () => {};
let held = 0;
let server: Server;
let port = 0;

beforeEach(async () => {
  held = 0;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const backend = {
    async execute() {
      held++;
      await released;
      return {};
    },
  };
  const bodyLimits = { one: 1000, together: 1500, dropped: 3000 };
  const handle = dynamoDbHandler({ backend, bodyLimits, now: Date.now, logger: silentLogger });
  server = createServer((request, response) => void handle(request, response, new AbortController().signal));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  release();
  server.closeAllConnections();
  server.close();
});

/** Sends a body of `bytes` bytes; resolves to the response, or to the part received before the connection broke. */
async function post(bytes: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  socket.on("data", (data) => (said += String(data)));
  socket.on("error", () => {});
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-amz-target: DynamoDB_20120810.ListTables\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  socket.write(`{}${" ".repeat(bytes - 2)}`);
  await new Promise((resolve) => socket.once("close", resolve));
  return said;
}

test("all requests in flight stay within the limit; one above it is throttled, and served afterwards", async () => {
  const first = post(900);
  await expect.poll(() => held).toBe(1);
  const second = await post(900);
  expect(second).toMatch(/^HTTP\/1\.1 400 [\s\S]*#ThrottlingException/);
  const small = post(100);
  await expect.poll(() => held).toBe(2);
  release();
  expect(await first).toMatch(/^HTTP\/1\.1 200 /);
  expect(await small).toMatch(/^HTTP\/1\.1 200 /);
  expect(await post(900)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a body that is too long gets a response; an endless one is cut off", async () => {
  release();
  expect(await post(1001)).toMatch(/^HTTP\/1\.1 413 [\s\S]*#RequestEntityTooLarge/);
  expect(await post(3900)).toMatch(/^HTTP\/1\.1 413 /);
  expect(await post(500_000)).not.toMatch(/ 200 /);
  expect(await post(100)).toMatch(/^HTTP\/1\.1 200 /);
});

test("a client that disconnects during a request leaves nothing behind", async () => {
  release();
  for (let round = 0; round < 10; round++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n${" ".repeat(800)}`);
    await once(socket, "connect");
    await new Promise((resolve) => setTimeout(resolve, 10));
    socket.destroy();
  }
  await expect.poll(async () => (await post(1000)).slice(0, 12)).toBe("HTTP/1.1 200");
  expect(await post(1000)).toMatch(/^HTTP\/1\.1 200 /);
});
