import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { sdkClient } from "./sdk-client.ts";
import { sdkPort } from "./sdk-port.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const options = { deadlineMs: 60_000 };

/** There and back again: whatever `sdkClient` lost or changed on the way would show. */
async function openRoundTrip() {
  const real = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  return sdkPort(await sdkClient(sdkPort(real, options)), options);
}

describe.skipIf(endpoint === "")("a port over sdkClient over the sdk port on DynamoDB Local", () => {
  const suite = dynamoPortSuite({ backend: "dynamodb-local", open: openRoundTrip });
  register(suite, { test, beforeAll, afterAll });
});
