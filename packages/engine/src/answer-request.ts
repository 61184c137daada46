import { DynamoError, isDynamoError, isTablekeepError, type OperationName } from "@tablekeep/core";
import type { Answer } from "./answer/answer.ts";
import { nameTables } from "./catalog/name-tables.ts";
import type { Database } from "./database.ts";
import { operations } from "./operations/operations.ts";
import { diskError } from "./storage/disk-error.ts";
import { checkShape } from "./validation/check-shape.ts";
import { itemShapes } from "./validation/item-shapes.ts";
import { statementShapes } from "./validation/statement-shapes.ts";
import { tableShapes } from "./validation/table-shapes.ts";

const shapes = { ...itemShapes, ...statementShapes, ...tableShapes };

/** Carries out a request, whatever was sent as one. */
export async function answerRequest(database: Database, operation: string, input: unknown): Promise<Answer> {
  const run = Object.hasOwn(operations, operation) ? operations[operation as OperationName] : undefined;
  if (run === undefined) {
    throw new DynamoError({
      exception: "UnknownOperationException",
      serviceMessage: `unknown operation ${operation}`,
    });
  }
  try {
    const named = checkShape(shapes[operation] ?? {}, nameTables(database, operation, input));
    const { behaviour } = database;
    if (behaviour === undefined) return await run(database, named as never);
    return await behaviour.around(database, operation, named, async () => run(database, named as never));
  } catch (error) {
    if (isDynamoError(error)) throw located(error, operation as OperationName, input);
    throw isTablekeepError(error) ? error : (diskError(error, database.path ?? "") ?? error);
  }
}

/** The same refusal, naming the operation and the table. */
function located(error: DynamoError, operation: OperationName, input: unknown): DynamoError {
  const table = (input as { TableName?: unknown } | null | undefined)?.TableName;
  return new DynamoError({
    ...error.details,
    operation,
    ...(typeof table === "string" && { table }),
    ambiguous: error.ambiguous,
    cause: error.cause,
  });
}
