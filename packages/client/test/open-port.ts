import type { DynamoPort } from "@tablekeep/core";
import { httpPort } from "../src/http/http-port.ts";

/** The port through which the tests of this room reach DynamoDB Local. */
export function openPort(endpoint: string): DynamoPort {
  return httpPort({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}
