import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { batchWrite, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";
import { failFastUntilAnswered } from "./fail-fast.ts";
import { connectTo } from "./open-store.ts";

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A port without waits between attempts. */
function portTo(port: number): DynamoPort {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const endpoint = `http://127.0.0.1:${port}`;
  return failFastUntilAnswered(httpPort({ endpoint, credentials, random: () => 0 }));
}

const unreachable = (attempts: number) => ({ code: "CLIENT_UNREACHABLE", details: { attempts } });

test("tries few times to reach a server that has never answered, and then once per call", async () => {
  await using port = portTo(await closedPort());
  await expect(port.listTables({})).rejects.toMatchObject(unreachable(7));
  await expect(port.listTables({})).rejects.toMatchObject(unreachable(1));
});

test("operations that send requests again add no attempts", async () => {
  await using port = portTo(await closedPort());
  let retries = 0;
  const options = { keyNames: { t: ["id"] as const }, random: () => 0, onRetry: () => (retries += 1) };
  const work = batchWrite(port, [{ table: "t", put: { id: { S: "1" } } }], options);
  await expect(work).rejects.toMatchObject({
    code: "CLIENT_BATCH_INCOMPLETE",
    cause: { code: "CLIENT_UNREACHABLE" },
  });
  expect(retries).toBe(6);
});

test("repeats calls as often as the port does once the server has answered", async () => {
  const server = await startDynamoDb({ port: 0 });
  await using port = portTo(Number(new URL(server.endpoint).port));
  try {
    await expect(port.describeTable({ TableName: "none" })).rejects.toMatchObject({
      code: "DYNAMO_RESOURCE_NOT_FOUND",
    });
    expect(port.retryLimits?.maxAttempts).toBe(10);
  } finally {
    await server.stop();
  }
  await expect(port.listTables({})).rejects.toMatchObject({ details: { attempts: 10 } });
});

test("a server that starts after a failed call is used", async () => {
  const number = await closedPort();
  await using port = portTo(number);
  await expect(port.listTables({})).rejects.toMatchObject(unreachable(7));
  const server = await startDynamoDb({ port: number });
  try {
    expect(await port.listTables({})).toMatchObject({ TableNames: [] });
    expect(port.retryLimits?.maxAttempts).toBe(10);
  } finally {
    await server.stop();
  }
});

test("commands connect to an endpoint this way", async () => {
  await using port = await connectTo(`http://127.0.0.1:${await closedPort()}`, undefined);
  await expect(port.listTables({})).rejects.toMatchObject(unreachable(7));
});
