import {
  type BatchStatementError,
  type BatchStatementErrorCodeEnum,
  type BatchStatementRequest,
  isDynamoError,
  readUnits,
} from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { type BoundStatement, bindStatement } from "../partiql/bind-statement.ts";
import { runSelect } from "../partiql/run-select.ts";
import { returnedItem, runWrite, statementWrite } from "../partiql/run-write.ts";
import { planItemSelect } from "../partiql/select-item.ts";
import { itemAnswer, readItem } from "../read/read-item.ts";
import type { StorageKey } from "../storage/storage.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { writeInPartition } from "../write/write-in-partition.ts";

export const executeStatement: Operation<"ExecuteStatement"> = (database, input) => {
  const { statement, parameters } = bindStatement(input);
  if (statement.kind === "select") return runSelect(database, { statement, parameters }, input);
  if (statement.kind === "exists") {
    throw invalid("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  return runWrite(database, { statement, parameters }, input);
};

/** Carries out each statement separately, and answers in the order of the request. */
export const batchExecuteStatement: Operation<"BatchExecuteStatement"> = async (database, input) => {
  const requests = input.Statements ?? [];
  const bound = requests.map((request) => attempt(() => ({ request, ...bindStatement(request) })));
  const reads = bound.filter((each) => "statement" in each && each.statement.kind === "select").length;
  const writes = bound.filter((each) => "statement" in each && each.statement.kind !== "select").length;
  if (reads > 0 && writes > 0) {
    throw invalid("Read and write requests together in the same batch is not supported.");
  }
  const batched = bound.map((each) =>
    "Error" in each ? each : attempt(() => planStatement(database, each, each.request)),
  );
  checkDistinct(batched);
  const used = new Map<TableModel, Consumption>();
  const kind = writes > 0 ? "write" : "read";
  const responses = await Promise.all(
    batched.map(async (each) => ("Error" in each ? each : runStatement(each, kind, used))),
  );
  return {
    Responses: responses,
    ConsumedCapacity: finishAll([...used.values()], input.ReturnConsumedCapacity),
  };
};

type Failed = { readonly Error: NonNullable<ReturnType<typeof statementError>> };

function attempt<Result>(run: () => Result): Result | Failed {
  try {
    return run();
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Failed {
  const reported = statementError(error);
  if (reported === undefined) throw error;
  return { Error: reported };
}

async function runStatement(
  { table, run }: PlannedStatement,
  kind: "read" | "write",
  used: Map<TableModel, Consumption>,
): Promise<Answer> {
  const consumption = used.get(table) ?? new Consumption(table, kind);
  used.set(table, consumption);
  try {
    return { TableName: table.name, Item: await run(consumption) };
  } catch (error) {
    return { TableName: table.name, ...failed(error) };
  }
}

function checkDistinct(batched: readonly (PlannedStatement | Failed)[]): void {
  const places = batched.flatMap((each) => ("Error" in each ? [] : [each.at]));
  if (new Set(places).size < places.length) throw invalid("Provided list of item keys contains duplicates");
}

/** A statement of a batch, checked but not yet carried out. */
interface PlannedStatement {
  readonly table: TableModel;
  /** The storage key of its item. */
  readonly at: StorageKey;
  /** Carries it out; resolves with the item to return. */
  readonly run: (consumption: Consumption) => Promise<ItemAnswer | undefined>;
}

/** Checks a statement of a batch. */
function planStatement(
  database: Database,
  { statement, parameters }: BoundStatement,
  request: BatchStatementRequest,
): PlannedStatement {
  if (statement.kind === "exists") {
    throw invalid("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  if (statement.kind === "select") return planRead(database, { statement, parameters }, request);
  const bound = { statement, parameters };
  const { write, update } = statementWrite(database, bound, request.ReturnValuesOnConditionCheckFailure);
  const { table, key } = write;
  return {
    table,
    at: itemKey(table, key),
    run: (consumption) =>
      database.writes.submit((transaction) => {
        const written = writeInPartition(database, transaction, write, consumption);
        return returnedItem(statement, update, written);
      }),
  };
}

function planRead(
  database: Database,
  bound: Parameters<typeof planItemSelect>[1],
  { ConsistentRead }: BatchStatementRequest,
): PlannedStatement {
  const { table, key, at, projection } = planItemSelect(database, bound, "BatchExecuteStatement");
  return {
    table,
    at,
    async run(consumption) {
      const mode = ConsistentRead ? "strong" : "eventual";
      const stored = readItem(database, table, key, mode);
      consumption.addTable(readUnits(stored?.size ?? 0, mode));
      return stored && itemAnswer(stored, projection);
    },
  };
}

const codes: Readonly<Record<string, BatchStatementErrorCodeEnum>> = {
  AccessDeniedException: "AccessDenied",
  ConditionalCheckFailedException: "ConditionalCheckFailed",
  DuplicateItemException: "DuplicateItem",
  ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
  ProvisionedThroughputExceededException: "ProvisionedThroughputExceeded",
  RequestLimitExceeded: "RequestLimitExceeded",
  ResourceNotFoundException: "ResourceNotFound",
  ThrottlingException: "ThrottlingError",
  TransactionConflictException: "TransactionConflict",
  ValidationException: "ValidationError",
};

/** Returns the error of a failed statement; undefined if the whole request failed. */
function statementError(error: unknown): BatchStatementError | undefined {
  if (!isDynamoError(error)) return undefined;
  const { exception, serviceMessage, item } = error.details;
  const code = Object.hasOwn(codes, exception) ? codes[exception] : undefined;
  return code && { Code: code, Message: serviceMessage, ...(item && { Item: item }) };
}
