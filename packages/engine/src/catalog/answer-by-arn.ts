import type { Answer } from "../answer/answer.ts";
import { setOwn } from "../item/wire-value.ts";

/** The members of answers to batches and transactions that have a member for each table. */
const byTable = ["Responses", "UnprocessedKeys", "UnprocessedItems", "ItemCollectionMetrics"];

/** AWS: API_ConsumedCapacity, API_BatchGetItem — a table that was given by its ARN is named by it in the answer, too. */
export function answerByArn(operation: string, answer: Answer, arns: ReadonlyMap<string, string>): Answer {
  const renamed: Record<string, unknown> = { ...answer };
  if (/^(Batch|Transact)/.test(operation)) {
    for (const member of byTable) {
      if (isPlain(answer[member])) renamed[member] = keysByArn(answer[member], arns);
    }
  }
  const { ConsumedCapacity: used } = answer;
  if (Array.isArray(used)) renamed["ConsumedCapacity"] = used.map((each) => unitsByArn(each, arns));
  else if (isPlain(used)) renamed["ConsumedCapacity"] = unitsByArn(used, arns);
  return renamed;
}

function keysByArn(tables: Record<string, unknown>, arns: ReadonlyMap<string, string>): object {
  const renamed: Record<string, unknown> = {};
  for (const name of Object.keys(tables)) setOwn(renamed, arns.get(name) ?? name, tables[name]);
  return renamed;
}

function unitsByArn(units: Record<string, unknown>, arns: ReadonlyMap<string, string>): object {
  const name = units["TableName"] as string;
  return { ...units, TableName: arns.get(name) ?? name };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
