import { DynamoError, isDynamoError, isTablekeepError, type OperationName } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Database } from "../database/database.ts";
import { mayChange } from "../operations/operation-traits.ts";
import { unknownOperation } from "../operations/unsupported.ts";
import { diskError, readError } from "../storage/disk-error.ts";
import { checkShape } from "./check-shape.ts";
import { itemShapes } from "./item-shapes.ts";
import { statementShapes } from "./statement-shapes.ts";
import { answerByArn, arnsIn, nameTables } from "./table-arns.ts";
import { tableShapes } from "./table-shapes.ts";

const shapes = { ...itemShapes, ...statementShapes, ...tableShapes };

/** Carries out a request, whatever was sent as one. */
export async function answerRequest(database: Database, operation: string, input: unknown): Promise<Answer> {
  const { operations } = database;
  const run = Object.hasOwn(operations, operation) ? operations[operation as OperationName] : undefined;
  if (run === undefined) throw unknownOperation(operation);
  try {
    const named = nameTables(operation, input);
    const checked = checkShape(shapes[operation] ?? {}, named);
    const answer = await run(database, checked as never);
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
