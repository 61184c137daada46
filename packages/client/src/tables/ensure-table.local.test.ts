import { randomUUID } from "node:crypto";
import {
  DynamoError,
  type DynamoPort,
  type OperationName,
  type TableDescription,
  type Tag,
  type UpdateTableInput,
  wrapPort,
} from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openPort } from "../../test/open-port.ts";
import { checkTable, requireTable } from "./check-table.ts";
import { type EnsuredTable, ensureTable } from "./ensure-table.ts";
import type { TableSpec } from "./table-spec.ts";

const endpoint = inject("dynamoDbLocal");

function journalSpec(): TableSpec {
  return {
    name: `journal-${randomUUID()}`,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "num", type: "N" },
    localIndexes: [{ name: "by-time", sortKey: { name: "ts", type: "N" }, projection: ["pid", "tags"] }],
    globalIndexes: [
      { name: "by-tag", partitionKey: { name: "tag", type: "S" }, sortKey: { name: "ts", type: "N" } },
      { name: "by-writer", partitionKey: { name: "writer", type: "B" }, projection: "KEYS_ONLY" },
    ],
    ttlAttribute: "expires",
    stream: "NEW_AND_OLD_IMAGES",
    tags: { team: "storage", "cost:centre": "42 = all" },
  };
}

describe.skipIf(endpoint === "")("ensureTable on DynamoDB Local", () => {
  let port: DynamoPort;
  beforeAll(() => {
    port = openPort(endpoint);
  });
  afterAll(() => port.close());

  it("creates an absent table exactly as specified", async () => {
    const spec = journalSpec();
    const made = await ensureTable(port, spec);
    expect(made).toMatchObject({ created: true, changes: [], notes: [] });
    expect(made.description.TableStatus).toBe("ACTIVE");
    expect(await checkTable(port, spec)).toEqual([]);
  });

  it("leaves a table alone that is there as specified", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    const writes: string[] = [];
    const again = await ensureTable(watching(port, writes), spec, { update: true });
    expect(again).toMatchObject({ created: false, changes: [], notes: [] });
    expect(writes).toEqual([]);
  });

  it("makes one table when eight callers want it at once, and all of them find it complete", async () => {
    const spec = journalSpec();
    const made = await Promise.all(Array.from({ length: 8 }, () => ensureTable(port, spec)));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(made.flatMap(({ notes }) => notes)).toEqual([]);
    expect(await requireTable(port, spec)).toEqual([]);
  });

  it("finds its own table after the answer to CreateTable was lost", async () => {
    const spec = journalSpec();
    const made = await ensureTable(losingAnswers(port, new Set(["CreateTable"])), spec);
    expect(made).toMatchObject({ created: false, notes: [] });
    expect(await checkTable(port, spec)).toEqual([]);
  });

  it("finds expiry on after the answer to UpdateTimeToLive was lost", async () => {
    const spec = journalSpec();
    await ensureTable(losingAnswers(port, new Set(["UpdateTimeToLive"])), spec);
    expect(await checkTable(port, spec)).toEqual([]);
  });

  it("refuses a table with other keys, and names both", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    const other = { ...spec, partitionKey: { name: "pid", type: "S" } } as const;
    await expect(ensureTable(port, other, { update: true })).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISMATCH",
      details: {
        table: spec.name,
        differences: [expect.stringContaining("par (S); it should be pid (S)"), expect.anything()],
      },
    });
  });

  it("changes an existing table only when asked to, then one step at a time", async () => {
    const full = journalSpec();
    const { globalIndexes: _, ttlAttribute: __, stream: ___, tags: ____, ...bare } = full;
    await ensureTable(port, bare);
    const writes: string[] = [];
    const watched = watching(keepingTags(port), writes);
    await expect(ensureTable(watched, full)).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISMATCH",
      message: expect.stringContaining("update: true"),
    });
    expect(writes).toEqual([]);
    const mended = await ensureTable(watched, full, { update: true });
    expect(mended.changes).toEqual([
      "created the global index by-tag",
      "created the global index by-writer",
      "switched the change stream on with NEW_AND_OLD_IMAGES",
      "switched expiry on by the attribute expires",
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
      "switched expiry on by the attribute expires",
    ]);
  });

  it("waits for another process's update that is under way", async () => {
    const full = journalSpec();
    const { globalIndexes: _, ...bare } = full;
    await ensureTable(port, bare);
    const overtaken = before(port, "UpdateTable", (input) => port.updateTable(input as UpdateTableInput));
    expect((await ensureTable(overtaken, full, { update: true })).changes).toEqual([
      "created the global index by-writer",
    ]);
    expect(await checkTable(port, full)).toEqual([]);
  });

  it("says that a table is missing", async () => {
    const spec = journalSpec();
    await expect(checkTable(port, spec)).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISSING",
      kind: "not-found",
      details: { table: spec.name },
      message: expect.stringContaining("ensureTable"),
    });
  });

  it("waits through CREATING, while a check says that the table is not ready", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    const slow = showing(port, ["CREATING", "CREATING", "ACTIVE"]);
    expect(await ensureTable(slow, spec)).toMatchObject({ created: false, notes: [] });
    await expect(checkTable(showing(port, ["CREATING"]), spec)).rejects.toMatchObject({
      code: "CLIENT_TABLE_NOT_READY",
      details: { status: "CREATING" },
    });
  });

  it("serves at once during UPDATING", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    const updating = showing(port, ["UPDATING"]);
    expect((await ensureTable(updating, spec)).notes).toEqual([]);
    expect(await checkTable(updating, spec)).toEqual([]);
  });

  it("waits until a table that is being deleted is gone, then makes it anew", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    await port.putItem({ TableName: spec.name, Item: { par: { S: "old" }, num: { N: "1" } } });
    const made = await ensureTable(deletingAfter(port, 3), spec);
    expect(made.created).toBe(true);
    expect((await port.scan({ TableName: spec.name })).Count).toBe(0);
  });

  it("gives up at its deadline with the status it last saw", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    await expect(ensureTable(showing(port, ["DELETING"]), spec, { deadlineMs: 300 })).rejects.toMatchObject({
      code: "CLIENT_TABLE_NOT_READY",
      details: { status: "DELETING" },
    });
  });

  it("ends when the caller aborts", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    const signal = AbortSignal.timeout(100);
    await expect(ensureTable(showing(port, ["CREATING"]), spec, { signal })).rejects.toMatchObject({
      kind: "aborted",
    });
  });

  it("says that a table whose key is out of reach cannot be used", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    await expect(
      ensureTable(showing(port, ["INACCESSIBLE_ENCRYPTION_CREDENTIALS"]), spec),
    ).rejects.toMatchObject({ code: "CLIENT_TABLE_NOT_READY" });
  });
});

const changing = /^(Create|Update|Delete|Tag|Untag)/;

/** Notes each request that changes a table. */
function watching(port: DynamoPort, seen: string[]): DynamoPort {
  return wrapPort(port, (operation, input, options, next) => {
    if (changing.test(operation)) seen.push(operation);
    return next(operation, input, options);
  });
}

/** Does something before the first request of this operation is passed on. */
function before(
  port: DynamoPort,
  name: OperationName,
  act: (input: unknown) => Promise<unknown>,
): DynamoPort {
  let done = false;
  return wrapPort(port, async (operation, input, options, next) => {
    if (operation === name && !done) {
      done = true;
      await act(input);
    }
    return next(operation, input, options);
  });
}

/** Keeps the tags of tables, which DynamoDB Local does not. */
function keepingTags(port: DynamoPort): DynamoPort {
  const tags = new Map<string | undefined, Tag[]>();
  return wrapPort(port, async (operation, input, options, next) => {
    const { ResourceArn, Tags } = input as { ResourceArn?: string; Tags?: Tag[] };
    if (operation === "TagResource")
      tags.set(ResourceArn, [...(tags.get(ResourceArn) ?? []), ...(Tags ?? [])]);
    else if (operation !== "ListTagsOfResource") return next(operation, input, options);
    return { Tags: tags.get(ResourceArn) ?? [] } as never;
  });
}

/** Carries each of these operations out once and then loses the answer. */
function losingAnswers(port: DynamoPort, operations: Set<string>): DynamoPort {
  return wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (!operations.delete(operation)) return answer;
    throw new DynamoError({ exception: "InternalServerError", serviceMessage: "lost", operation });
  });
}

/** Shows these statuses in turn, then the last one for ever: DynamoDB Local is never slow. */
function showing(port: DynamoPort, statuses: NonNullable<TableDescription["TableStatus"]>[]): DynamoPort {
  let looks = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (operation !== "DescribeTable") return answer;
    const TableStatus = statuses[Math.min(looks++, statuses.length - 1)];
    return { Table: { ...(answer as { Table: TableDescription }).Table, TableStatus } } as typeof answer;
  });
}

/** Shows the table as DELETING for so many looks, then deletes it. */
function deletingAfter(port: DynamoPort, looks: number): DynamoPort {
  let left = looks;
  return wrapPort(port, async (operation, input, options, next) => {
    if (operation !== "DescribeTable" || left <= 0) return next(operation, input, options);
    const { Table } = await port.describeTable(input as { TableName: string });
    if (--left === 0) await port.deleteTable(input as { TableName: string });
    return { Table: { ...Table, TableStatus: "DELETING" } } as never;
  });
}
