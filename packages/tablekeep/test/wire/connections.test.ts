import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { httpPort } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { dynamoDbListener } from "../../src/server/dynamodb/dynamodb-listener.ts";
import type { HttpLimits } from "../../src/server/http/http-listener.ts";
import type { Listener } from "../../src/server/listening/listener.ts";
import { openSocket, send, target } from "./raw-dynamodb.ts";

let engine: Engine;
let listener: Listener | undefined;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
});
afterEach(() => listener?.stop(0));
afterAll(() => engine.close());

async function start(limits: Partial<HttpLimits> = {}, host = "127.0.0.1"): Promise<string> {
  const address = { listener: "dynamodb", host, port: 0, portFlag: "--port" };
  listener = dynamoDbListener({
    target: address,
    backend: engine,
    clock: systemClock,
    logger: silentLogger,
    limits,
  });
  return listener.start();
}

const listTables = (host: string, more = "") =>
  `POST / HTTP/1.1\r\nhost: ${host}\r\nx-amz-target: DynamoDB_20120810.ListTables\r\ncontent-length: 2\r\n${more}\r\n{}`;

/** Reads until the text has `count` answers in it. */
async function answers(socket: Socket, count: number): Promise<string> {
  let output = "";
  while ((output.match(/"TableNames"/g)?.length ?? 0) < count)
    output += String((await once(socket, "data"))[0]);
  return output;
}

describe("a connection", () => {
  test("is kept for the next request, longer than any SDK keeps it", async () => {
    const { host } = new URL(await start());
    const socket = await openSocket(`http://${host}`);
    for (let round = 0; round < 3; round++) {
      socket.write(listTables(host));
      const output = await answers(socket, 1);
      expect(output).toMatch(/connection: keep-alive/i);
      expect(Number(/keep-alive: timeout=(\d+)/i.exec(output)?.[1])).toBeGreaterThan(120);
    }
    socket.destroy();
  });

  test("may carry several requests at once, and answers come in their order", async () => {
    const { host } = new URL(await start());
    const socket = await openSocket(`http://${host}`);
    const requests = Array.from(
      { length: 50 },
      (_unused, at) => `GET /${at} HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
    );
    socket.write(requests.join("") + listTables(host, "connection: close\r\n"));
    const output = await text(socket);
    expect(output.match(/healthy: dynamodb/g)).toHaveLength(50);
    expect(output.indexOf("TableNames")).toBeGreaterThan(output.lastIndexOf("healthy"));
  });

  test("that sends its headers too slowly is closed", async () => {
    const { host } = new URL(await start({ headersTimeoutMs: 200, checkEveryMs: 50 }));
    const socket = await openSocket(`http://${host}`);
    socket.write(`POST / HTTP/1.1\r\nhost: ${host}\r\n`);
    const drip = setInterval(() => socket.write("x-a: b\r\n"), 20);
    socket.on("error", () => {});
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  test("that sends its body too slowly is closed", async () => {
    const { host } = new URL(await start({ requestTimeoutMs: 300, headersTimeoutMs: 300, checkEveryMs: 50 }));
    const socket = await openSocket(`http://${host}`);
    socket.on("error", () => {});
    socket.write(listTables(host).replace("content-length: 2", "content-length: 1000"));
    const drip = setInterval(() => socket.write(" "), 20);
    await text(socket);
    clearInterval(drip);
    expect(socket.destroyed).toBe(true);
  });

  test.each([
    ["both lengths", "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two lengths", "content-length: 2\r\ncontent-length: 3\r\n\r\n{} "],
    ["a length that is none", "content-length: +2\r\n\r\n{}"],
    ["a folded header", "x-a: b\r\n c\r\ncontent-length: 2\r\n\r\n{}"],
    ["a bare line feed", "x-a: b\ncontent-length: 2\n\n{}"],
  ])("with %s is rejected and closed: another server might read it differently", async (_name, rest) => {
    const { host } = new URL(await start());
    const socket = await openSocket(`http://${host}`);
    socket.on("error", () => {});
    socket.end(`POST / HTTP/1.1\r\nhost: ${host}\r\n${rest}`);
    const output = await text(socket);
    expect(output).toMatch(/^HTTP\/1\.1 400 /);
    expect(output.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test("with 20 KB of headers is rejected", async () => {
    const endpoint = await start();
    expect(
      (await send(endpoint, { ...target("ListTables"), "x-long": "a".repeat(20_000) }, "{}")).status,
    ).toBe(431);
  });
});

describe("the Host header", () => {
  test.each([
    ["127.0.0.1", 200],
    ["localhost", 200],
    ["LOCALHOST", 200],
    ["[::1]", 200],
    ["tables.localhost", 200],
    ["127.1.2.3", 200],
    ["evil.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["10.0.0.1", 403],
    ["localhost@evil.example", 403],
  ])("%j on loopback is answered with %d", async (name, status) => {
    const endpoint = await start();
    const answer = await send(endpoint, { host: `${name}:${new URL(endpoint).port}` }, "", "GET");
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer.body.toString()).toMatch(/^the Host header names another server: .*\n$/);
  });

  test.each(["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n"])(
    "that is missing is rejected too: %j",
    async (request) => {
      const socket = await openSocket(await start());
      socket.write(request);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
    },
  );

  test("may be any name on a non-loopback listener", async () => {
    const url = await start({}, "0.0.0.0");
    const endpoint = url.replace("0.0.0.0", "127.0.0.1");
    expect((await send(endpoint, { host: "dynamodb:8000" }, "", "GET")).status).toBe(200);
  });
});

describe("many connections", () => {
  test("1,000 at the same time are all served, and again on the same connections", async () => {
    const { host, hostname, port } = new URL(await start());
    const sockets = Array.from({ length: 1000 }, () => connect(Number(port), hostname));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (let round = 0; round < 2; round++) {
      const output = await Promise.all(
        sockets.map((socket) => {
          socket.write(listTables(host));
          return answers(socket, 1);
        }),
      );
      expect(output.every((each) => each.startsWith("HTTP/1.1 200"))).toBe(true);
    }
    for (const socket of sockets) socket.destroy();
  });

  test("a connection above the limit is closed, and served once another one ends", async () => {
    const endpoint = await start({ connections: 3 });
    const held = await Promise.all([1, 2, 3].map(() => openSocket(endpoint)));
    const rejected = await openSocket(endpoint);
    rejected.on("error", () => {});
    expect(await text(rejected)).toBe("");
    held[0]?.destroy();
    await expect
      .poll(() =>
        send(endpoint, {}, "", "GET").then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    for (const socket of held) socket.destroy();
  });
});

describe("stopping", () => {
  test("every acknowledged write is stored, every other was rejected or cut off, none is lost", async () => {
    const own = await openEngine({ storage: { kind: "memory" } });
    const address = { listener: "dynamodb", host: "127.0.0.1", port: 0, portFlag: "--port" };
    const stopped = dynamoDbListener({
      target: address,
      backend: own,
      clock: systemClock,
      logger: silentLogger,
    });
    const endpoint = await stopped.start();
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    await using port = httpPort({ endpoint, credentials, maxAttempts: 1, maxConnections: 20 });
    await own.createTable({
      TableName: "things",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      BillingMode: "PAY_PER_REQUEST",
    });
    await expect
      .poll(async () => (await own.describeTable({ TableName: "things" })).Table?.TableStatus)
      .toBe("ACTIVE");
    const acknowledged: string[] = [];
    let next = 0;
    const writer = async () => {
      for (;;) {
        const id = String(next++);
        try {
          await port.putItem({ TableName: "things", Item: { id: { N: id } } });
          acknowledged.push(id);
        } catch {
          return;
        }
      }
    };
    const writers = Array.from({ length: 20 }, writer);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(100);
    await stopped.stop(5000);
    await Promise.all(writers);
    const { Items = [] } = await own.scan({ TableName: "things", ConsistentRead: true });
    const stored = new Set(Items.map((item) => item["id"]?.N));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    await own.close();
  });

  test("a request that arrives on a kept-alive connection during the stop is still answered, then the connection closes", async () => {
    const url = new URL(await start());
    const agent = new Agent({ keepAlive: true });
    const socket = await openSocket(url.href);
    // Half a request: the connection is busy, so that stopping waits for it.
    const whole = listTables(url.host);
    socket.write(whole.slice(0, 40));
    const [response] = await once(get(url, { agent }), "response");
    await text(response);
    const done = listener?.stop(10_000);
    socket.write(whole.slice(40));
    const output = await text(socket);
    expect(output).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(output).toMatch(/connection: close/i);
    await done;
    agent.destroy();
  });
});
