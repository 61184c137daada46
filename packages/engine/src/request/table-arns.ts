import { type OperationName, tablesOf } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { engineMessage, invalid } from "../values/dynamo-errors.ts";
import { setOwn } from "../values/wire-value.ts";

/**
 * Replaces the ARNs of tables by their names; returns the input itself if there are none. Members of another shape
 * are not touched.
 */
export function replaceArns(operation: string, input: unknown): unknown {
  if (!isObject(input)) return input;
  const { TableName, RequestItems, TransactItems } = input;
  if (isArn(TableName)) return { ...input, TableName: nameOfArn(TableName) };
  if (isObject(RequestItems) && operation.startsWith("Batch")) {
    return Object.keys(RequestItems).some(isArn)
      ? { ...input, RequestItems: replaceKeys(RequestItems) }
      : input;
  }
  if (Array.isArray(TransactItems) && operation.startsWith("Transact")) {
    return TransactItems.some((item) => isArn(actionOf(item)?.action["TableName"]))
      ? { ...input, TransactItems: TransactItems.map((item) => replaceInAction(item)) }
      : input;
  }
  return input;
}

/** Returns the ARNs in an input, by the names of their tables. */
export function arnsIn(operation: OperationName, input: unknown): ReadonlyMap<string, string> {
  const arns = tablesOf(operation, input).filter(isArn);
  return new Map(arns.map((arn) => [nameOfArn(arn), arn]));
}

function replaceKeys(requests: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const given of Object.keys(requests)) {
    const name = nameOfArn(given);
    if (Object.hasOwn(named, name)) throw invalid(engineMessage(`table ${name} is specified more than once`));
    setOwn(named, name, requests[given]);
  }
  return named;
}

function replaceInAction(item: unknown): unknown {
  const found = actionOf(item);
  const arn = found?.action["TableName"];
  if (found === undefined || !isArn(arn)) return item;
  return { [found.kind]: { ...found.action, TableName: nameOfArn(arn) } };
}

/** Returns the action of an element of a transaction. */
function actionOf(item: unknown): { kind: string; action: Record<string, unknown> } | undefined {
  if (!isObject(item)) return undefined;
  const [kind, ...others] = Object.keys(item);
  const action = kind === undefined ? undefined : item[kind];
  if (kind === undefined || others.length > 0 || !isObject(action)) return undefined;
  return { kind, action };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of batch and transaction answers with a member for each table. */
const byTable = ["Responses", "UnprocessedKeys", "UnprocessedItems", "ItemCollectionMetrics"];

/**
 * AWS: API_ConsumedCapacity, API_BatchGetItem — a table that was given by its ARN is named by it in the answer as well.
 */
export function restoreArns(operation: string, answer: Answer, arns: ReadonlyMap<string, string>): Answer {
  const renamed: Record<string, unknown> = { ...answer };
  if (/^(Batch|Transact)/.test(operation)) {
    for (const member of byTable) {
      if (isPlain(answer[member])) renamed[member] = restoreKeys(answer[member], arns);
    }
  }
  const { ConsumedCapacity: used } = answer;
  if (Array.isArray(used)) renamed["ConsumedCapacity"] = used.map((each) => restoreTableName(each, arns));
  else if (isPlain(used)) renamed["ConsumedCapacity"] = restoreTableName(used, arns);
  return renamed;
}

function restoreKeys(tables: Record<string, unknown>, arns: ReadonlyMap<string, string>): object {
  const renamed: Record<string, unknown> = {};
  for (const name of Object.keys(tables)) setOwn(renamed, arns.get(name) ?? name, tables[name]);
  return renamed;
}

function restoreTableName(units: Record<string, unknown>, arns: ReadonlyMap<string, string>): object {
  const name = units["TableName"] as string;
  return { ...units, TableName: arns.get(name) ?? name };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether a value is meant to be an ARN. */
function isArn(given: unknown): given is string {
  return typeof given === "string" && given.startsWith("arn:");
}

const tableArnPattern = /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:[0-9]{12}:table\/([a-zA-Z0-9_.-]+)$/;

/**
 * Returns the name in a table's ARN; anything else unchanged. An engine has one set of tables, so region and
 * account do not matter, as in DynamoDB Local: a client may be configured for any.
 */
function nameOfArn(nameOrArn: string): string {
  return tableArnPattern.exec(nameOrArn)?.[1] ?? nameOrArn;
}
