import { isDynamoError, readUnits } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { Consumption, finishAll } from "../catalog/consumption.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database, Operation } from "../database/database.ts";
import { type BoundStatement, bindParameters, readStatement } from "../partiql/bind-statement.ts";
import { statementWrite, type WriteStatement } from "../partiql/run-write.ts";
import { planItemSelect } from "../partiql/select-item.ts";
import type { ParsedStatement, SelectStatement } from "../partiql/statement.ts";
import { itemAnswer, readItem } from "../read/read-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { Cancellation } from "../write/cancellation.ts";
import { checkReadBytes, transactWrites } from "../write/transaction.ts";

type Input = Parameters<Operation<"ExecuteTransaction">>[1];

/** All statements read, or all write or check; all are carried out, or none is. */
export const executeTransaction: Operation<"ExecuteTransaction"> = (database, input) => {
  const requests = input.TransactStatements ?? [];
  const parsed = requests.map((request, at) => inStatement(at, () => readStatement(request)));
  const bound = requests.map((request, at) => bindParameters(parsed[at] as ParsedStatement, request));
  const reads: BoundStatement<SelectStatement>[] = [];
  const writes: BoundStatement<WriteStatement>[] = [];
  for (const { statement, parameters } of bound) {
    if (statement.kind === "select") reads.push({ statement, parameters });
    else writes.push({ statement, parameters });
  }
  if (reads.length > 0 && writes.length > 0) {
    throw invalid(
      "ExecuteTransaction API does not support both read and write operations in the same request.",
    );
  }
  return reads.length > 0 ? readAll(database, reads, input) : writeAll(database, writes, input);
};

/** Reads all items at once, with no write in between. */
function readAll(
  database: Database,
  bound: readonly BoundStatement<SelectStatement>[],
  input: Input,
): Answer {
  const reads = bound.map((each, at) =>
    inStatement(at, () => planItemSelect(database, each, "ExecuteTransaction")),
  );
  if (new Set(reads.map(({ at }) => at)).size < reads.length) {
    throw invalid("Transaction request cannot include multiple operations on one item");
  }
  const cancellation = new Cancellation(reads.length);
  const found = reads.map((read, at) => ({
    ...read,
    stored: cancellation.attempt(at, () => {
      database.service.checkUnlocked(read.at);
      return readItem(database, read.table, read.key, "transactional");
    }),
  }));
  cancellation.throwIfAny();
  checkReadBytes(found.reduce((sum, { stored }) => sum + (stored?.size ?? 0), 0));
  const used = new Map<TableModel, Consumption>();
  const responses = found.map(({ table, stored, projection }) => {
    const consumption = used.get(table) ?? new Consumption(table, "read");
    used.set(table, consumption);
    consumption.addTable(readUnits(stored?.size ?? 0, "transactional"));
    return { Item: stored && itemAnswer(stored, projection) };
  });
  return {
    Responses: responses,
    ConsumedCapacity: finishAll([...used.values()], input.ReturnConsumedCapacity, true),
  };
}

async function writeAll(
  database: Database,
  bound: readonly BoundStatement<WriteStatement>[],
  input: Input,
): Promise<Answer> {
  for (const [at, { statement }] of bound.entries()) inStatement(at, () => checkAllowed(statement));
  for (const { statement } of bound) database.catalog.get(statement.table);
  const requests = input.TransactStatements ?? [];
  const cancellation = new Cancellation(bound.length);
  const writes = bound.map((each, at) => {
    const understand = () =>
      statementWrite(database, each, requests[at]?.ReturnValuesOnConditionCheckFailure).write;
    // An invalid check rejects the whole request; an invalid write cancels the transaction.
    return each.statement.kind === "exists"
      ? inStatement(at, understand)
      : cancellation.attempt(at, understand);
  });
  const answer = await transactWrites(database, writes, cancellation, input, requests);
  return { Responses: [], ...answer };
}

function checkAllowed(statement: WriteStatement): void {
  if ("returning" in statement && statement.returning !== undefined) {
    throw invalid("RETURNING clause is not supported in ExecuteTransaction.");
  }
  if (statement.kind === "exists" && statement.select.index !== undefined) {
    throw invalid("Operations on indices are not supported in transactions");
  }
}

/** Runs a part of one statement; an error names the statement. */
function inStatement<Result>(at: number, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!isDynamoError(error, "ValidationException")) throw error;
    throw invalid(`Validation failed in TransactStatements[${at}]: ${error.details.serviceMessage}`);
  }
}
