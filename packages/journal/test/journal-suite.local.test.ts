import { randomUUID } from "node:crypto";
import { connect } from "@tablekeep/client";
import { register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { suiteJournals, suiteOn } from "./journal-suite-on.ts";

const endpoint = inject("dynamoDbLocal");

/**
 * Differences in our own code only are tested on the engine. Over HTTP to the engine, one journal of each kind is enough, because all of them
 * are tested on the engine in this process.
 */
const journals = suiteJournals.filter(([name]) =>
  inject("isEngine")
    ? ["packed, strict", "bucketed"].includes(name)
    : ["packed", "packed, strict", "bucketed", "linear", "scattered"].includes(name),
);

describe.skipIf(endpoint === "").each(journals)(
  "the journal suite on DynamoDB Local, %s",
  (_name, options) => {
    const open = async () =>
      connect({
        endpoint,
        region: "us-east-1",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
        // Some cases lose a third of all requests: for longer than the default budget lasts, and at times ten in a row.
        retryBudget: 100_000,
        maxAttempts: 100,
      });
    register(suiteOn(open, options, `events-${randomUUID()}`), { test, beforeAll, afterAll });
  },
);
