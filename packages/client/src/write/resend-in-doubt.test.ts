import type { DynamoPort, Item } from "@tablekeep/core";
import { wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { faultyPort } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { createTestTable } from "../../test/local-table.ts";
import { callEffect } from "../retry/call-effect.ts";
import { settleDelete } from "./settle-delete.ts";
import { settlePut } from "./settle-put.ts";

const key = { pk: { S: "a" }, sk: { N: "1" } };

/**
 * Runs a write whose first copy is applied and whose response is lost; before anything is sent again, another client
 * writes the same key. Returns the outcome and what the table holds in the end.
 */
async function withAnotherWriter<Outcome>(
  operation: "PutItem" | "DeleteItem",
  work: (port: DynamoPort, table: string) => Promise<Outcome>,
): Promise<{ outcome: Outcome; stored: Item | undefined }> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const table = await createTestTable(engine);
  const faults = [{ nth: 1, op: operation, kind: "lost-after-apply" }] as const;
  const losing = faultyPort(engine, { seed: 1, faults });
  let lost = false;
  const port = wrapPort(losing, async (name, input, options, next) => {
    try {
      return await next(name, input, options);
    } catch (error) {
      if (!lost) await engine.putItem({ TableName: table, Item: { ...key, by: { S: "another client" } } });
      lost = true;
      throw error;
    }
  });
  const outcome = await work(port, table);
  const { Item } = await engine.getItem({ TableName: table, Key: key });
  expect(lost).toBe(true);
  return { outcome, stored: Item };
}

describe("an unconditional write whose response was lost, with another client's write after it", () => {
  const item = { ...key, by: { S: "this client" } };
  const options = { keyNames: ["pk", "sk"] as const, writeIdAttribute: "wid" };

  test("settlePut keeps what the other client wrote, and does not guess", async () => {
    const { outcome, stored } = await withAnotherWriter("PutItem", (port, TableName) =>
      settlePut(port, { TableName, Item: item }, options),
    );
    expect(outcome.kind).toBe("unknown");
    expect(stored?.["by"]).toEqual({ S: "another client" });
  });

  test("settlePut overwrites it if the caller chose to resend", async () => {
    const { outcome, stored } = await withAnotherWriter("PutItem", (port, TableName) =>
      settlePut(port, { TableName, Item: item }, { ...options, resendInDoubt: true }),
    );
    expect(outcome.kind).toBe("ok");
    expect(stored?.["by"]).toEqual({ S: "this client" });
  });

  test("settleDelete keeps what the other client wrote", async () => {
    const { outcome, stored } = await withAnotherWriter("DeleteItem", (port, TableName) =>
      settleDelete(port, { TableName, Key: key }),
    );
    expect(outcome.kind).toBe("unknown");
    expect(stored?.["by"]).toEqual({ S: "another client" });
  });

  test("a port resends it by default, and never with idempotent: false", () => {
    const input = { TableName: "t", Item: key };
    expect(callEffect("PutItem", input)).toBe("repeatable");
    expect(callEffect("PutItem", input, { idempotent: false })).toBe("once");
    expect(callEffect("GetItem", { TableName: "t", Key: key }, { idempotent: false })).toBe("read");
    expect(callEffect("TransactWriteItems", { TransactItems: [] }, { idempotent: false })).toBe("tokened");
  });
});
