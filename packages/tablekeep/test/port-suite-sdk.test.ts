import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { sdkPort } from "@tablekeep/client";
import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, test } from "vitest";
import { startDynamoDb } from "../src/server/dynamodb/start-dynamodb.ts";

const accessKeyId = "AKIDEXAMPLE";
const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const server = await startDynamoDb({ port: 0, accessKeys: { [accessKeyId]: secretAccessKey } });

describe("the DynamoDB endpoint on an engine in memory, through the AWS SDK, with signatures", () => {
  const { endpoint } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const suite = dynamoPortSuite({
    open: () =>
      sdkPort(new DynamoDBClient({ endpoint, region: "eu-west-1", credentials }), { deadlineMs: 30_000 }),
  });
  // Hooks after all run in reverse: the server outlives the suite.
  afterAll(() => server.stop());
  register(suite, { test, beforeAll, afterAll });
});
