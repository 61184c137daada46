import { randomUUID } from "node:crypto";
import { connect } from "@tablekeep/client";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { suiteOn, suiteShadows } from "./shadow-suite-on.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "").each(suiteShadows)(
  "the shadow suite on DynamoDB Local, %s, %s",
  (...kind) => {
    const open = async () =>
      connect({
        endpoint,
        region: "us-east-1",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
      });
    register(suiteOn(open, kind, `shadows-${randomUUID()}`), { test, beforeAll, afterAll });
  },
);
