import { httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";

/** DynamoDB Local, by the client's own port. */
export function localPort(endpoint: string): DynamoPort {
  return httpPort({
    // Where there is no Java the tests are skipped, and the port is never used.
    endpoint: endpoint || "http://127.0.0.1:1",
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}
