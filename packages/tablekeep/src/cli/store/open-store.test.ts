import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpPort, isClientError } from "@tablekeep/client";
import { isDynamoError } from "@tablekeep/core";
import { expect, test } from "vitest";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";
import { servedPort } from "./open-store.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "local" };

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** An address on which nothing listens any more. */
async function closedEndpoint(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

test("a server that is gone is reported with its folder, and with the code and details of the port", async () => {
  const endpoint = await closedEndpoint();
  await using port = await servedPort(httpPort({ endpoint, credentials, maxAttempts: 1 }), "/data/shop");
  const error = await failure(port.listTables({}));
  if (!isClientError(error, "CLIENT_UNREACHABLE")) throw error;
  expect(error).toMatchObject({ kind: "unavailable", retryable: true, ambiguous: false });
  expect(error.details.endpoint).toContain(endpoint);
  expect(error.message).toContain("/data/shop");
  expect(error.message).toContain('"tablekeep serve"');
});

test("answers and other errors of a server that runs are passed on, under the same retry limits", async () => {
  const server = await startDynamoDb({ port: 0 });
  try {
    const direct = httpPort({ endpoint: server.endpoint, credentials });
    await using port = await servedPort(direct, "/data/shop");
    expect(port.retryLimits).toBe(direct.retryLimits);
    expect(await port.listTables({})).toMatchObject({ TableNames: [] });
    const error = await failure(port.describeTable({ TableName: "none" }));
    expect(isDynamoError(error, "ResourceNotFoundException")).toBe(true);
  } finally {
    await server.stop();
  }
});
