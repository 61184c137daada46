import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { httpPort } from "./http-port.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("the http port on DynamoDB Local", () => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const open = () => httpPort({ endpoint, region: "us-east-1", credentials });
  register(dynamoPortSuite({ open, backend: "dynamodb-local" }), { test, beforeAll, afterAll });
});
