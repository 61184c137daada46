import { randomUUID } from "node:crypto";
import { connect, ensureTable } from "@tablekeep/client";
import { journalTableSpec } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { getTablekeepEventStore } from "../src/index.ts";
import { eventStoreCases } from "./event-store-cases.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "").each(["packed", "bucketed"] as const)(
  "the store on DynamoDB Local, %s",
  (layout) => {
    const options = { table: `emmett-${randomUUID()}`, layout };
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    let port: ReturnType<typeof connect>;
    beforeAll(async () => {
      port = connect({ endpoint, region: "us-east-1", credentials });
      await ensureTable(port, journalTableSpec(options));
    });
    afterAll(() => port.close());

    eventStoreCases(async (onAfterCommit) =>
      getTablekeepEventStore({ port, ...options }, { hooks: { onAfterCommit } }),
    );
  },
);
