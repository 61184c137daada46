import type { DynamoPort } from "@tablekeep/core";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { localWithSnapshots } from "../../test/local-port.ts";
import { unique } from "../../test/snapshot-world.ts";
import { openSnapshots } from "../snapshots/open-snapshots.ts";
import type { SnapshotsOptions } from "../snapshots/snapshot-options.ts";
import { snapshotSuite } from "./snapshot-suite.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "").each<SnapshotsOptions>([{}, { format: "pay", compression: "never" }])(
  "snapshots on DynamoDB Local, opened with %j",
  (options) => {
    const table = unique();
    let port: DynamoPort;
    const open = async () => {
      port = await localWithSnapshots(endpoint, table);
      return openSnapshots(port, { table, ...options });
    };
    register(snapshotSuite({ open }), { test, beforeAll, afterAll });
    afterAll(async () => {
      await port.deleteTable({ TableName: table });
      await port.close();
    });
  },
);
