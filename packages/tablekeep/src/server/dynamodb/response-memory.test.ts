import { createServer } from "node:http";
import { Duplex } from "node:stream";
import { crc32 } from "node:zlib";
import { silentLogger } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { dynamoDbHandler } from "./dynamodb-handler.ts";
import { ResponseMemory } from "./response-memory.ts";

/** A connection that accepts what is written only when the test says so, as a slow client does. */
class SlowConnection extends Duplex {
  readonly written: Buffer[] = [];
  #accept: (() => void) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    this.#accept = done;
  }

  /** Whether a write waits. */
  get isFull(): boolean {
    return this.#accept !== undefined;
  }

  accept(): void {
    const accept = this.#accept;
    this.#accept = undefined;
    accept?.();
  }
}

/** Checks a response by its own checksum, and returns its body. */
function bodyOf({ written }: SlowConnection): string {
  const all = Buffer.concat(written);
  const end = all.indexOf("\r\n\r\n");
  const body = all.subarray(end + 4);
  expect(all.toString("latin1", 0, end)).toContain(`x-amz-crc32: ${crc32(body)}`);
  return body.toString();
}

test("a response that is not sent yet keeps its memory", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const TableName = "texts";
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  for (const id of ["a", "b", "c"])
    await engine.putItem({ TableName, Item: { id: { S: id }, text: { S: id.repeat(20_000) } } });
  const handle = dynamoDbHandler({ backend: engine, now: Date.now, logger: silentLogger });
  const server = createServer(
    (request, response) => void handle(request, response, new AbortController().signal),
  );
  const ask = (id: string) => {
    const connection = new SlowConnection();
    server.emit("connection", connection);
    const body = JSON.stringify({ TableName, Key: { id: { S: id } } });
    const head = `POST / HTTP/1.1\r\nhost: x\r\nx-amz-target: DynamoDB_20120810.GetItem\r\ncontent-length: ${body.length}`;
    connection.push(`${head}\r\n\r\n${body}`);
    return connection;
  };
  const acceptAll = async (connection: SlowConnection) => {
    while (connection.isFull) {
      connection.accept();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const connections: SlowConnection[] = [];
  for (const id of ["a", "b", "c"]) {
    const connection = ask(id);
    connections.push(connection);
    await expect.poll(() => connection.isFull).toBe(true);
  }
  for (const connection of connections) await acceptAll(connection);
  expect(connections.map(bodyOf)).toEqual(
    ["a", "b", "c"].map((id) => JSON.stringify({ Item: { id: { S: id }, text: { S: id.repeat(20_000) } } })),
  );
  for (const connection of connections) connection.destroy();
  server.close();
});

test("memory is used again if it is large enough, and only some of it is kept", () => {
  const memory = new ResponseMemory();
  const first = memory.acquire(100_000);
  const isFirst = (bytes: number) => memory.acquire(bytes) === first;
  expect(first.length).toBeGreaterThanOrEqual(100_000);
  memory.release(first);
  expect([isFirst(90_000), isFirst(90_000)]).toEqual([true, false]);
  memory.release(first);
  expect(isFirst(first.length + 1)).toBe(false);
  const pieces = Array.from({ length: 10 }, () => memory.acquire(10_000));
  for (const piece of pieces) memory.release(piece);
  const again = Array.from({ length: 10 }, () => memory.acquire(10_000));
  expect(again.filter((piece) => pieces.includes(piece)).length).toBe(4);
  const huge = memory.acquire(5 * 1024 * 1024);
  memory.release(huge);
  expect(memory.acquire(5 * 1024 * 1024) === huge).toBe(false);
});
