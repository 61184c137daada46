import {
  type CreateTableInput,
  type DynamoPort,
  isDynamoError,
  optionCheck,
  type TableDescription,
  type TablekeepError,
} from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { isUsable, mismatch } from "./check-table.ts";
import { compareTable } from "./compare-table.ts";
import { createTableInput } from "./create-table-input.ts";
import { enableExpiry, readTable } from "./read-table.ts";
import type { TableDifference } from "./table-difference.ts";
import {
  findTable,
  notReady,
  startTableRun,
  type TableOptions,
  type TableRun,
  tableOptionChecks,
} from "./table-run.ts";
import type { TableSpec } from "./table-spec.ts";
import { isWorthDescribing, updateTable } from "./update-table.ts";

/** Options of {@link ensureTable}. */
export interface EnsureTableOptions extends TableOptions {
  /**
   * Change an existing table: add missing global indexes one at a time, and enable expiry, the stream, deletion protection and
   * tags. Nothing is ever removed or replaced. @default false
   */
  readonly update?: boolean;
}

/** The result of {@link ensureTable}. */
export interface EnsuredTable {
  /** Whether this call created it. False if another process created it first, or if the response was lost. */
  readonly created: boolean;
  /** The changes that `update` made, one sentence each. */
  readonly changes: readonly string[];
  /** Differences to the specification that remain. None of them is breaking. */
  readonly notes: readonly TableDifference[];
  readonly description: TableDescription;
}

/** DynamoDB takes seconds to create a table, and minutes to fill a new index. */
const ensureDeadlineMs = 120_000;

/** A process that creates a table enables expiry only once the table is ACTIVE. Others wait this long for it, if the table has items. */
const expiryGraceMs = 5000;

/**
 * Makes sure that a table exists as specified and is ready: creates it if it is missing, then waits until it and its global
 * indexes are ACTIVE and expiry is on. Any number of processes may do so at once.
 *
 * Waits for a table that is being deleted, and creates it again; a table that is being updated can be used at once. Throws
 * `CLIENT_TABLE_MISMATCH` if the existing table does not match, and `CLIENT_TABLE_NOT_READY` at the deadline.
 *
 * @example
 * await ensureTable(port, { name: "carts", partitionKey: { name: "id", type: "S" } });
 */
export async function ensureTable(
  port: DynamoPort,
  spec: TableSpec,
  options: EnsureTableOptions = {},
): Promise<EnsuredTable> {
  const input = createTableInput(spec);
  checkOptions(options, { ...tableOptionChecks, update: optionCheck.boolean });
  const run = startTableRun(port, spec, { ...options, deadlineMs: options.deadlineMs ?? ensureDeadlineMs });
  const { created, young } = await createWhereAbsent(run, input);
  if (young) await enableExpiry(run);
  const update = options.update ?? false;
  await rejectMismatch(run, update);
  const changes = update ? await updateTable(run) : [];
  const { description, notes } = await rejectMismatch(run, false);
  return { created, changes, notes, description };
}

/** Resolves once the table exists and is usable. `young`: it was created during this call, by any process. */
async function createWhereAbsent(
  run: TableRun,
  input: CreateTableInput,
): Promise<{ created: boolean; young: boolean }> {
  let created = false;
  let young = false;
  for (;;) {
    const description = await findTable(run);
    if (description === undefined) {
      const rejection = await tryCreate(run, input);
      created ||= rejection === undefined;
      young = true;
      await (rejection === undefined ? run.wait("CREATING") : run.wait("not created", rejection));
    } else if (description.TableStatus === "CREATING" || description.TableStatus === "DELETING") {
      young ||= description.TableStatus === "CREATING";
      await run.wait(description.TableStatus);
    } else if (!isUsable(description)) {
      throw notReady(run.spec.name, String(description.TableStatus), "now");
    } else {
      const building = buildingIndex(run.spec, description);
      if (building === undefined) return { created, young };
      await run.wait(`global index ${building} is CREATING`);
    }
  }
}

/**
 * Sends CreateTable. Returns the error if another process was first, too many table operations are in progress or the
 * account is at its limit (DynamoDB has one exception for both), or the response was lost: describing the table shows which.
 */
async function tryCreate(run: TableRun, input: CreateTableInput): Promise<TablekeepError | undefined> {
  try {
    await run.port.createTable(input, run.callOptions());
    return undefined;
  } catch (error) {
    if (isWorthDescribing(error)) return error;
    throw error;
  }
}

function buildingIndex(spec: TableSpec, description: TableDescription): string | undefined {
  const building = new Set(
    (description.GlobalSecondaryIndexes ?? [])
      .filter(({ IndexStatus }) => IndexStatus === "CREATING")
      .map(({ IndexName }) => IndexName),
  );
  return spec.globalIndexes?.find(({ name }) => building.has(name))?.name;
}

/** Reads the table and throws if it does not match, except for what an update would fix. */
async function rejectMismatch(
  run: TableRun,
  update: boolean,
): Promise<{ description: TableDescription; notes: readonly TableDifference[] }> {
  const startedAt = run.elapsedMs();
  for (;;) {
    const description = await findTable(run);
    if (description === undefined) throw notReady(run.spec.name, "DELETED", "now");
    const differences = compareTable(run.spec, await readTable(run, description));
    const broken = differences.filter((one) => one.severity === "breaking" && !(update && one.updatable));
    if (broken.length === 0) return { description, notes: differences };
    const mayCome = broken.every(({ aspect, updatable }) => aspect === "expiry" && updatable);
    if (mayCome && (await isEmpty(run))) await enableExpiry(run);
    else if (!mayCome || run.elapsedMs() - startedAt > expiryGraceMs) throw mismatch(run.spec.name, broken);
    await run.wait("expiry is off");
  }
}

/**
 * Returns whether a table has no items yet. If such a table has no expiry, a process may have died right after it created
 * the table; as there is nothing to expire, completing its work is safe even without `update`.
 */
async function isEmpty(run: TableRun): Promise<boolean> {
  const input = { TableName: run.spec.name, ConsistentRead: true, Limit: 1 };
  try {
    return (await run.port.scan(input, run.callOptions())).Count === 0;
  } catch (error) {
    if (isDynamoError(error)) return false;
    throw error;
  }
}
