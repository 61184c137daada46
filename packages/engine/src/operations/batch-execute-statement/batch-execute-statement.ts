import type { Answer } from "../../answer/answer.ts";
import { Consumption } from "../../capacity/consumption.ts";
import type { TableModel } from "../../catalog/table-model.ts";
import { invalid } from "../../item/refuse.ts";
import { boundStatement } from "../../partiql/bound-statement.ts";
import { reports } from "../batch-write-item/batch-write-item.ts";
import type { Operation } from "../operation.ts";
import { type BatchedStatement, batchedStatement } from "./batched-statement.ts";
import { statementError } from "./statement-error.ts";

/** Each statement is carried out on its own, and answered at its place. */
export const batchExecuteStatement: Operation<"BatchExecuteStatement"> = async (database, input) => {
  const requests = input.Statements ?? [];
  const bound = requests.map((request) => attempt(() => ({ request, ...boundStatement(request) })));
  const reads = bound.filter((each) => "statement" in each && each.statement.kind === "select").length;
  const writes = bound.filter((each) => "statement" in each && each.statement.kind !== "select").length;
  if (reads > 0 && writes > 0) {
    throw invalid("Read and write requests together in the same batch is not supported.");
  }
  const batched = bound.map((each) =>
    "Error" in each ? each : attempt(() => batchedStatement(database, each, each.request)),
  );
  checkDistinct(batched);
  const used = new Map<TableModel, Consumption>();
  const responses = await Promise.all(
    batched.map(async (each) => ("Error" in each ? each : answered(each, used))),
  );
  return {
    Responses: responses,
    ConsumedCapacity: reports([...used.values()], input.ReturnConsumedCapacity),
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
  const told = statementError(error);
  if (told === undefined) throw error;
  return { Error: told };
}

async function answered(
  { table, run }: BatchedStatement,
  used: Map<TableModel, Consumption>,
): Promise<Answer> {
  const consumption = used.get(table) ?? new Consumption(table);
  used.set(table, consumption);
  try {
    return { TableName: table.name, Item: await run(consumption) };
  } catch (error) {
    return { TableName: table.name, ...failed(error) };
  }
}

function checkDistinct(batched: readonly (BatchedStatement | Failed)[]): void {
  const places = batched.flatMap((each) => ("Error" in each ? [] : [each.at]));
  if (new Set(places).size < places.length) throw invalid("Provided list of item keys contains duplicates");
}
