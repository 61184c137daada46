import type { DynamoPort, UpdateTableInput } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { javaOptions, startDynamoDbLocal } from "../../../../scripts/lib/dynamodb-local.mjs";
import { openPort } from "../../test/open-port.ts";
import { before, journalSpec, keepingTags, watching } from "../../test/table-ports.ts";
import { checkTable } from "./check-table.ts";
import { type EnsuredTable, ensureTable } from "./ensure-table.ts";

const endpoint = inject("dynamoDbLocal");

/** On a separate DynamoDB Local: tables of other tests that expire items could keep it from building indexes. */
describe.skipIf(endpoint === "")("ensureTable with update: true", () => {
  let local: Awaited<ReturnType<typeof startDynamoDbLocal>> | undefined;
  let port: DynamoPort;
  beforeAll(async () => {
    if (!inject("isEngine")) local = await startDynamoDbLocal({ javaOptions });
    port = openPort(local?.endpoint ?? endpoint);
  });
  afterAll(async () => {
    await port.close();
    local?.stop();
  });

  it("changes an existing table only when asked to, then one step at a time", async () => {
    const full = journalSpec();
    const { globalIndexes: _, ttlAttribute: __, stream: ___, tags: ____, ...bare } = full;
    await ensureTable(port, bare);
    const writes: string[] = [];
    // DynamoDB Local keeps no tags.
    const watched = watching(inject("isEngine") ? port : keepingTags(port), writes);
    await expect(ensureTable(watched, full)).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISMATCH",
      details: { table: full.name },
    });
    expect(writes).toEqual([]);
    const updated = await ensureTable(watched, full, { update: true });
    expect(updated.changes).toEqual([
      "created the global index by-tag",
      "created the global index by-writer",
      "enabled the change stream with NEW_AND_OLD_IMAGES",
      "enabled expiry by the attribute expires",
      "set the tags",
    ]);
    expect(writes).toEqual(["UpdateTable", "UpdateTable", "UpdateTable", "UpdateTimeToLive", "TagResource"]);
    expect(await checkTable(port, full)).toEqual([]);
  });

  it("finds another process's update done where it was about to make it", async () => {
    const full = journalSpec();
    const { globalIndexes: _, ttlAttribute: __, ...bare } = full;
    await ensureTable(port, bare);
    let other: EnsuredTable | undefined;
    const overtaken = before(port, "UpdateTable", async () => {
      other = await ensureTable(port, full, { update: true });
    });
    expect((await ensureTable(overtaken, full, { update: true })).changes).toEqual([]);
    expect(other?.changes).toEqual([
      "created the global index by-tag",
      "created the global index by-writer",
      "enabled expiry by the attribute expires",
    ]);
  });

  it("waits for another process's update that is in progress", async () => {
    const full = journalSpec();
    const { globalIndexes: _, ...bare } = full;
    await ensureTable(port, bare);
    const overtaken = before(port, "UpdateTable", (input) => port.updateTable(input as UpdateTableInput));
    expect((await ensureTable(overtaken, full, { update: true })).changes).toEqual([
      "created the global index by-writer",
    ]);
    expect(await checkTable(port, full)).toEqual([]);
  });
});
