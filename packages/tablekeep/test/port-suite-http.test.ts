import { httpPort } from "@tablekeep/client";
import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, test } from "vitest";
import { startDynamoDb } from "../src/server/dynamodb/start-dynamodb.ts";

const server = await startDynamoDb({ port: 0 });
const credentials = { accessKeyId: "any", secretAccessKey: "any" };

describe("the DynamoDB endpoint on an engine in memory, through the http port", () => {
  const { endpoint } = server;
  const suite = dynamoPortSuite({ open: () => httpPort({ endpoint, credentials, deadlineMs: 30_000 }) });
  // Hooks after all run in reverse: the server outlives the suite.
  afterAll(() => server.stop());
  register(suite, { test, beforeAll, afterAll });
});
