import {
  DynamoError,
  isDynamoError,
  isTablekeepError,
  mayWrite,
  type OperationName,
  tablesOf,
} from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Database } from "../database/database.ts";
import { unknownOperation } from "../operations/unsupported.ts";
import { diskError, readError } from "../storage/disk-error.ts";
import { checkShape } from "./check-shape.ts";
import { itemShapes } from "./item-shapes.ts";
import { statementShapes } from "./statement-shapes.ts";
import { arnsIn, replaceArns, restoreArns } from "./table-arns.ts";
import { tableShapes } from "./table-shapes.ts";

const shapes = { ...itemShapes, ...statementShapes, ...tableShapes };

/** Carries out a request of any content. */
export async function answerRequest(database: Database, operation: string, input: unknown): Promise<Answer> {
  const { operations } = database;
  const run = Object.hasOwn(operations, operation) ? operations[operation as OperationName] : undefined;
  if (run === undefined) throw unknownOperation(operation);
  let named = input;
  try {
    named = replaceArns(operation, input);
    const checked = checkShape(shapes[operation] ?? {}, named);
    // Tables, conditions and items are looked at after the commit in flight, and in the same turn as the next begins.
    if (database.writes.isBusy && mayWrite(operation as OperationName, input)) await database.writes.ready();
    const answer = await run(database, checked as never);
    countRequest(database, operation as OperationName, named, false);
    return named === input
      ? answer
      : restoreArns(operation, answer, arnsIn(operation as OperationName, input));
  } catch (error) {
    countRequest(database, operation as OperationName, named, true);
    if (isDynamoError(error)) throw withLocation(error, operation as OperationName, input);
    if (isTablekeepError(error)) throw error;
    const toTyped = mayWrite(operation as OperationName, input) ? diskError : readError;
    throw toTyped(error, database.path ?? "") ?? error;
  }
}

function countRequest(
  { catalog }: Database,
  operation: OperationName,
  input: unknown,
  hasFailed: boolean,
): void {
  for (const name of tablesOf(operation, input)) {
    // A table that does not exist has no use, so that names from outside take no memory.
    const use = catalog.find(name)?.use;
    if (use === undefined) continue;
    use.requests += 1;
    if (hasFailed) use.failures += 1;
  }
}

/** Returns the same error with the operation and the table. */
function withLocation(error: DynamoError, operation: OperationName, input: unknown): DynamoError {
  const table = (input as { TableName?: unknown } | null | undefined)?.TableName;
  return new DynamoError({
    ...error.details,
    operation,
    ...(typeof table === "string" && { table }),
    ambiguous: error.ambiguous,
    cause: error.cause,
  });
}
