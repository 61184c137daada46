import type { DynamoPort, TableDescription } from "@tablekeep/core";
import { checkOptions } from "../base/check-options.ts";
import { ClientError } from "../base/client-error.ts";
import { checkTableSpec } from "./check-table-spec.ts";
import { compareTable } from "./compare-table.ts";
import { readTable } from "./read-table.ts";
import type { TableDifference } from "./table-difference.ts";
import { findTable, notReady, startTableRun, type TableOptions, tableOptionChecks } from "./table-run.ts";
import type { TableSpec } from "./table-spec.ts";

/**
 * Compares a table with its specification and changes nothing. Returns no differences if the table is as specified.
 *
 * Throws `CLIENT_TABLE_MISSING` if there is no such table, and `CLIENT_TABLE_NOT_READY` while it is being created or deleted.
 * A table that is being updated can be used, so it is compared.
 *
 * @example
 * for (const { severity, message } of await checkTable(port, spec)) console.log(severity, message);
 */
export async function checkTable(
  port: DynamoPort,
  spec: TableSpec,
  options: TableOptions = {},
): Promise<readonly TableDifference[]> {
  checkTableSpec(spec);
  checkOptions(options, tableOptionChecks);
  const run = startTableRun(port, spec, options);
  const description = await findTable(run);
  if (description === undefined) throw missing(spec.name);
  if (!isUsable(description)) throw notReady(spec.name, String(description.TableStatus), "now");
  return compareTable(spec, await readTable(run, description));
}

/**
 * Like {@link checkTable}, for the start of a program: throws `CLIENT_TABLE_MISMATCH` with every breaking difference, and
 * returns the notes.
 *
 * @example
 * await requireTable(port, spec);
 */
export async function requireTable(
  port: DynamoPort,
  spec: TableSpec,
  options: TableOptions = {},
): Promise<readonly TableDifference[]> {
  const differences = await checkTable(port, spec, options);
  const broken = differences.filter(({ severity }) => severity === "breaking");
  if (broken.length > 0) throw mismatch(spec.name, broken);
  return differences;
}

/** Whether items of the table can be read and written. */
export function isUsable(description: TableDescription): boolean {
  return description.TableStatus === "ACTIVE" || description.TableStatus === "UPDATING";
}

/** Creates the error of a table that does not match its specification. */
export function mismatch(
  table: string,
  differences: readonly TableDifference[],
): ClientError<"CLIENT_TABLE_MISMATCH"> {
  const sentences = differences.map(({ message }) => message);
  const updatableOnly = differences.every(({ updatable }) => updatable);
  const advice = updatableOnly
    ? "fix with ensureTable({ update: true })"
    : "fix it, or use another table name";
  return new ClientError(
    "CLIENT_TABLE_MISMATCH",
    `table ${table} is not as specified: ${sentences.join("; ")} (${advice})`,
    { table, differences: sentences },
  );
}

function missing(table: string): ClientError<"CLIENT_TABLE_MISSING"> {
  const advice = "create it with ensureTable, or check its name, the region and the endpoint";
  return new ClientError("CLIENT_TABLE_MISSING", `table ${table} does not exist: ${advice}`, { table });
}
