import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoPortSuite, register } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { sdkClient } from "./sdk-client.ts";
import { sdkPort } from "./sdk-port.ts";

const endpoint = inject("dynamoDbLocal");

function localClient() {
  return new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}

const options = { deadlineMs: 60_000 };

describe.skipIf(endpoint === "")("the sdk port on DynamoDB Local", () => {
  const suite = dynamoPortSuite({
    backend: "dynamodb-local",
    open: () => sdkPort(localClient(), options),
  });
  register(suite, { test, beforeAll, afterAll });
});

describe.skipIf(endpoint === "")("a port over a client over the sdk port on DynamoDB Local", () => {
  const suite = dynamoPortSuite({
    backend: "dynamodb-local",
    open: async () => sdkPort(await sdkClient(sdkPort(localClient(), options)), options),
  });
  register(suite, { test, beforeAll, afterAll });
});
