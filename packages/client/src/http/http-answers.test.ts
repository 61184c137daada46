import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { crc32, gzipSync } from "node:zlib";
import { seededRandom } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer } from "../../test/loopback-server.ts";
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

describe("an answer that is not DynamoDB's", () => {
  const strange: [string, LoopbackServer["script"]][] = [
    ["a wrong checksum", (_, response) => answer(response, {}, 200, { "x-amz-crc32": "1" })],
    ["a checksum that is not a number", (_, response) => answer(response, {}, 200, { "x-amz-crc32": "x" })],
    ["a page of a proxy", (_, response) => response.writeHead(502).end("<html>Bad Gateway</html>")],
    ["a page with status 200", (_, response) => response.writeHead(200).end("<html>Log in</html>")],
    ["a rejection that is not DynamoDB's", (_, response) => response.writeHead(404).end('{"error":"no"}')],
    ["a list", (_, response) => response.writeHead(200).end("[]")],
    ["null", (_, response) => response.writeHead(200).end("null")],
    ["nothing", (_, response) => response.writeHead(200).end()],
    ["an error under status 200", (_, response) => response.writeHead(200).end('{"__type":"x#Y"}')],
    ["JSON cut short", (_, response) => response.writeHead(200).end('{"Item":{"id":')],
    ["another status", (_, response) => response.writeHead(204).end()],
    ["an unknown compression", (_, response) => answer(response, {}, 200, { "content-encoding": "br" })],
    ["broken compression", (_, response) => answer(response, {}, 200, { "content-encoding": "gzip" })],
    ["something that is not HTTP", (_, response) => response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n\r\n")],
  ];

  test.each(strange)("%s is rejected, and makes a write ambiguous", async (_, script) => {
    server.script = script;
    await using port = open({ maxAttempts: 2 });
    expect(await failureOf(port.updateItem({ TableName: "t", Key: {} }))).toMatchObject({
      code: "CLIENT_RESPONSE_CORRUPT",
      kind: "corrupt",
      ambiguous: true,
      details: { attempts: 1, endpoint: server.url },
    });
    expect(await failureOf(port.getItem(get))).toMatchObject({
      code: "CLIENT_RESPONSE_CORRUPT",
      ambiguous: false,
      details: { attempts: 2 },
    });
  });

  test.each(strange)("%s is followed by another attempt where that is safe", async (_, script) => {
    server.script = (request, response) =>
      request.number === 1 ? script(request, response) : answer(response, {});
    await using port = open();
    await expect(port.putItem(put)).resolves.toEqual({});
    expect(server.seen.length).toBe(2);
  });

  test("accepts a wrong checksum if checks are disabled", async () => {
    server.script = (_, response) => answer(response, { Item: {} }, 200, { "x-amz-crc32": "1" });
    await using port = open({ checkCrc: false });
    await expect(port.getItem(get)).resolves.toEqual({ Item: {} });
  });
});

describe("an answer", () => {
  test("may be compressed if that was asked for; the checksum is that of the compressed bytes", async () => {
    const body = gzipSync(JSON.stringify({ Item: { id: { S: "1" } } }));
    server.script = ({ headers }, response) => {
      expect(headers["accept-encoding"]).toBe("gzip");
      response.writeHead(200, { "content-encoding": "gzip", "x-amz-crc32": String(crc32(body)) }).end(body);
    };
    await using port = open({ gzip: true });
    await expect(port.getItem(get)).resolves.toEqual({ Item: { id: { S: "1" } } });
  });

  test.each([true, false])("of many pieces is whole, while others come (compressed: %s)", async (gzip) => {
    const item = (id: string | undefined) => ({ id: { S: id ?? "" }, text: { S: `${id}ü`.repeat(9_000) } });
    server.script = async ({ headers, body }, response) => {
      const text = JSON.stringify({ Item: item((body as typeof get).Key.id.S) });
      const bytes = gzip ? gzipSync(text, { level: 0 }) : Buffer.from(text);
      response.writeHead(200, {
        ...(gzip && { "content-encoding": headers["accept-encoding"] }),
        "x-amz-crc32": String(crc32(bytes)),
      });
      for (let at = 0; at < bytes.length; at += 5_000) {
        response.write(bytes.subarray(at, at + 5_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    await using port = open({ gzip });
    const ids = Array.from({ length: 20 }, (_, at) => String(at));
    const answers = ids.map((id) => port.getItem({ TableName: "carts", Key: { id: { S: id } } }));
    expect((await Promise.all(answers)).map(({ Item }) => Item)).toEqual(ids.map(item));
  });

  test("is not asked to be compressed otherwise", async () => {
    await using port = open();
    await port.getItem(get);
    expect(server.seen[0]?.headers["accept-encoding"]).toBeUndefined();
  });

  test("to a tag may be empty", async () => {
    server.script = (_, response) => response.writeHead(200, { "x-amz-crc32": "0" }).end();
    await using port = open();
    await expect(port.tagResource({ ResourceArn: "arn", Tags: [] })).resolves.toEqual({});
  });

  test("may come in many pieces, cut inside a character", async () => {
    const text = Buffer.from(JSON.stringify({ Item: { id: { S: "ünïcödé 💶".repeat(50) } } }));
    server.script = async (_, response) => {
      response.writeHead(200, { "x-amz-crc32": String(crc32(text)) });
      for (let i = 0; i < text.length; i += 7) {
        response.write(text.subarray(i, i + 7));
        if (i % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    await using port = open();
    await expect(port.getItem(get)).resolves.toEqual({ Item: { id: { S: "ünïcödé 💶".repeat(50) } } });
  });

  test("the request has the headers of the protocol, and the user agent", async () => {
    await using port = open({ userAgentSuffix: "shop/7", region: "eu-west-1" });
    await port.getItem(get);
    await port.listStreams({});
    const [first, second] = server.seen;
    expect(first?.headers).toMatchObject({
      host: new URL(server.url).host,
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.GetItem",
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/dynamodb\//),
      "user-agent": expect.stringMatching(/^tablekeep\/\S+ node\/\S+ shop\/7$/),
    });
    expect(second?.headers["x-amz-target"]).toBe("DynamoDBStreams_20120810.ListStreams");
  });
});

/** A server whose answer to every request is these bytes, then the end of the connection. */
async function byteServer(): Promise<{ bytes: Buffer; server: Server; url: string }> {
  const self = { bytes: Buffer.alloc(0), server: undefined as unknown as Server, url: "" };
  self.server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(self.bytes));
  });
  await new Promise<void>((resolve) => self.server.listen(0, "127.0.0.1", resolve));
  self.url = `http://127.0.0.1:${(self.server.address() as AddressInfo).port}`;
  return self;
}

describe("damage on the way", () => {
  const item = { id: { S: "1" }, total: { N: "1234567890" }, name: { S: "a cart" }, raw: { B: "AQIDBA==" } };
  const output = { Item: { ...item, raw: { B: new Uint8Array([1, 2, 3, 4]) } } };
  const body = Buffer.from(JSON.stringify({ Item: item }));
  const whole = Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nx-amzn-RequestId: R1\r\nx-amz-crc32: ${crc32(body)}\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);

  /** Reads through damaged answers; the number of those that were understood, all of which must be right. */
  async function understood(damaged: Iterable<Buffer>): Promise<number> {
    const faulty = await byteServer();
    const port = open({ endpoint: faulty.url, maxAttempts: 1 });
    let right = 0;
    for (const bytes of damaged) {
      faulty.bytes = bytes;
      const result = await port.getItem(get).then(
        (value) => value,
        (error: { code: string }) => {
          expect(error.code).toMatch(/^CLIENT_(RESPONSE_CORRUPT|CONNECTION_LOST)$/);
          return undefined;
        },
      );
      if (result === undefined) continue;
      expect(result).toEqual(output);
      right++;
    }
    await port.close();
    faulty.server.close();
    return right;
  }

  test("an undamaged answer is understood", async () => {
    expect(await understood([whole])).toBe(1);
  });

  test("detects every answer with a flipped byte", async () => {
    const random = seededRandom(1);
    const flipped = function* () {
      for (let i = 0; i < 3_000; i++) {
        const bytes = Buffer.from(whole);
        const place = Math.floor(random() * bytes.length);
        bytes[place] = (bytes[place] as number) ^ (1 + Math.floor(random() * 255));
        yield bytes;
      }
    };
    const right = await understood(flipped());
    // Damage to a header that does not matter does no harm; most damage is noticed.
    expect(right).toBeLessThan(1_500);
  });

  test("detects every truncated answer", async () => {
    const cuts = Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length));
    expect(await understood(cuts)).toBe(0);
  });

  test("without a length, the checksum still detects truncation", async () => {
    const open = Buffer.from(
      whole.toString("latin1").replace(/Content-Length: \d+/, "Connection: close"),
      "latin1",
    );
    const headLength = open.indexOf("\r\n\r\n") + 4;
    const cuts = Array.from({ length: open.length - headLength }, (_, i) => open.subarray(0, headLength + i));
    expect(await understood(cuts)).toBe(0);
    expect(await understood([open])).toBe(1);
  });
});
