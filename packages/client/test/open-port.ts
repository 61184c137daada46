import type { DynamoPort } from "@tablekeep/core";
import { httpPort } from "../src/http/http-port.ts";
import type { HttpPortOptions } from "../src/http/http-port-options.ts";

/** Limits that never end retries, for tests in which the deadline must. */
export const endlessRetries = { maxAttempts: 1_000_000, retryBudget: 1_000_000_000 };

/** The port through which the tests of this package reach DynamoDB Local, or the engine over HTTP. */
export function openPort(endpoint: string, options: HttpPortOptions = {}): DynamoPort {
  return httpPort({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    // A busy machine may take long for the first request to DynamoDB Local. A second attempt would find the work done.
    socketTimeoutMs: 60_000,
    ...options,
  });
}
