import { randomUUID } from "node:crypto";
import { connect } from "@tablekeep/client";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { suiteOn, suiteStores } from "./mail-suite-on.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "").each(suiteStores)(
  "the mail suite on DynamoDB Local, %s",
  (_name, options) => {
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const open = async () => connect({ endpoint, region: "us-east-1", credentials });
    register(suiteOn(open, options, `mail-${randomUUID()}`), { test, beforeAll, afterAll });
  },
);
