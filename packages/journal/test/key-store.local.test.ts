import { httpPort } from "@tablekeep/client";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { keyStoreCases } from "./key-store-suite.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("a key store on DynamoDB Local", () => {
  let port: ReturnType<typeof httpPort>;
  beforeAll(() => {
    port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  });
  afterAll(() => port.close());
  keyStoreCases(() => port);
});
