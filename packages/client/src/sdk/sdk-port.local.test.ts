import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { sdkPort } from "./sdk-port.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

describe.skipIf(endpoint === "")("the sdk port on DynamoDB Local", () => {
  const suite = dynamoPortSuite({
    backend: "dynamodb-local",
    open: () =>
      sdkPort(new DynamoDBClient({ endpoint, region: "us-east-1", credentials }), { deadlineMs: 60_000 }),
  });
  register(suite, { test, beforeAll, afterAll });
});
