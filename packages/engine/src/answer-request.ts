import { DynamoError, isDynamoError, isTablekeepError, type OperationName } from "@tablekeep/core";
import type { Answer } from "./answer/answer.ts";
import { answerByArn } from "./catalog/answer-by-arn.ts";
import { arnsIn, nameTables } from "./catalog/name-tables.ts";
import type { Database } from "./database.ts";
import { mayChange } from "./may-change.ts";
import { unknownOperation } from "./operations/left-out.ts";
import { operations } from "./operations/operations.ts";
import { diskError, readError } from "./storage/disk-error.ts";
import { checkShape } from "./validation/check-shape.ts";
import { itemShapes } from "./validation/item-shapes.ts";
import { statementShapes } from "./validation/statement-shapes.ts";
import { tableShapes } from "./validation/table-shapes.ts";

const shapes = { ...itemShapes, ...statementShapes, ...tableShapes };

/** Carries out a request, whatever was sent as one. */
export async function answerRequest(database: Database, operation: string, input: unknown): Promise<Answer> {
  const run = Object.hasOwn(operations, operation) ? operations[operation as OperationName] : undefined;
  if (run === undefined) throw unknownOperation(operation);
  try {
    const named = nameTables(operation, input);
    const checked = checkShape(shapes[operation] ?? {}, named);
    const { behaviour } = database;
    const answer =
      behaviour === undefined
        ? await run(database, checked as never)
        : await behaviour.around(database, operation, checked, async () => run(database, checked as never));
    return named === input ? answer : answerByArn(operation, answer, arnsIn(input));
  } catch (error) {
    if (isDynamoError(error)) throw located(error, operation as OperationName, input);
    if (isTablekeepError(error)) throw error;
    const toTyped = mayChange(operation, input) ? diskError : readError;
    throw toTyped(error, database.path ?? "") ?? error;
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
