import { DynamoError, type DynamoPort, wrapPort } from "@tablekeep/core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openPort } from "../../test/open-port.ts";
import {
  before,
  deletingAfter,
  journalSpec,
  losingAnswers,
  showing,
  tidyPort,
  watching,
  withoutDeadlines,
} from "../../test/table-ports.ts";
import { underFaults } from "../../test/under-faults.ts";
import { checkTable, requireTable } from "./check-table.ts";
import { createTableInput } from "./create-table-input.ts";
import { type EnsureTableOptions, ensureTable } from "./ensure-table.ts";
import type { TableSpec } from "./table-spec.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("ensureTable on DynamoDB Local", () => {
  let port: DynamoPort;
  let cleanUp: () => Promise<void>;
  beforeAll(() => {
    ({ port, cleanUp } = tidyPort(openPort(endpoint)));
  });
  afterEach(() => cleanUp());
  afterAll(() => port.close());

  /** Runs `ensureTable` on a fake clock, which stands still during requests, and returns its error. */
  const failureInTime = async (
    spec: TableSpec,
    options: EnsureTableOptions & { readonly deadlineMs: number },
    change: (port: DynamoPort) => DynamoPort,
  ): Promise<unknown> => {
    const { result } = await underFaults(withoutDeadlines(port), [], (inner, { clock }) =>
      ensureTable(change(inner), spec, { ...options, clock }).catch((failure: unknown) => failure),
    );
    return result;
  };

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

  it("creates one table for eight concurrent callers, and returns it complete to all", async () => {
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

  it("finishes a table whose creator died before it enabled expiry", async () => {
    const spec = journalSpec();
    const dying = before(port, "UpdateTimeToLive", () => Promise.reject(new Error("killed")));
    await expect(ensureTable(dying, spec)).rejects.toThrow("killed");
    expect(await ensureTable(port, spec)).toMatchObject({ created: false, notes: [] });
    expect(await checkTable(port, spec)).toEqual([]);
  });

  it("does not enable expiry where an item could expire", async () => {
    const spec = journalSpec();
    await port.createTable(createTableInput(spec));
    await port.putItem({ TableName: spec.name, Item: { par: { S: "old" }, num: { N: "1" } } });
    const writes: string[] = [];
    await expect(ensureTable(watching(port, writes), spec)).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISMATCH",
      details: { differences: [expect.stringContaining("expiry is off")] },
    });
    expect(writes).toEqual([]);
  });

  it("rejects a table with other keys, and names both", async () => {
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

  it("reports a missing table", async () => {
    const spec = journalSpec();
    await expect(checkTable(port, spec)).rejects.toMatchObject({
      code: "CLIENT_TABLE_MISSING",
      kind: "not-found",
      details: { table: spec.name },
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

  it("waits until a table that is being deleted is gone, then creates it again", async () => {
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
    const deleting = (inner: DynamoPort) => showing(inner, ["DELETING"]);
    expect(await failureInTime(spec, { deadlineMs: 300 }, deleting)).toMatchObject({
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

  it("reports a table whose key cannot be accessed as unusable", async () => {
    const spec = journalSpec();
    await ensureTable(port, spec);
    await expect(
      ensureTable(showing(port, ["INACCESSIBLE_ENCRYPTION_CREDENTIALS"]), spec),
    ).rejects.toMatchObject({ code: "CLIENT_TABLE_NOT_READY" });
  });

  it("reports the account's limit when it cannot create the table in time", async () => {
    const spec = journalSpec();
    const limited = (inner: DynamoPort) =>
      wrapPort(inner, async (operation, input, options, next) => {
        if (operation !== "CreateTable") return next(operation, input, options);
        const serviceMessage = "Subscriber limit exceeded: 2500 tables";
        throw new DynamoError({ exception: "LimitExceededException", serviceMessage });
      });
    expect(await failureInTime(spec, { deadlineMs: 200 }, limited)).toMatchObject({
      code: "CLIENT_TABLE_NOT_READY",
      details: { status: "not created" },
      cause: {
        code: "DYNAMO_LIMIT_EXCEEDED",
        details: { serviceMessage: "Subscriber limit exceeded: 2500 tables" },
      },
    });
  });

  it("reports the limit that keeps it from adding an index", async () => {
    const spec = journalSpec();
    await ensureTable(port, { ...spec, globalIndexes: [] });
    const limited = (inner: DynamoPort) =>
      wrapPort(inner, async (operation, input, options, next) => {
        if (operation !== "UpdateTable") return next(operation, input, options);
        throw new DynamoError({ exception: "LimitExceededException", serviceMessage: "Too many indexes" });
      });
    expect(await failureInTime(spec, { update: true, deadlineMs: 200 }, limited)).toMatchObject({
      code: "CLIENT_TABLE_NOT_READY",
      cause: { code: "DYNAMO_LIMIT_EXCEEDED", details: { serviceMessage: "Too many indexes" } },
    });
  });
});
