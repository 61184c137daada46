import type { Answer } from "../answer/answer.ts";
import { invalidParameter } from "../values/dynamo-errors.ts";
import { setOwn } from "../values/wire-value.ts";

/**
 * The input with names wherever a table is given by its ARN; the input itself where none is. Anything that has not the
 * expected shape is let pass.
 */
export function nameTables(operation: string, input: unknown): unknown {
  if (!isObject(input)) return input;
  const { TableName, RequestItems, TransactItems } = input;
  if (isArn(TableName)) return { ...input, TableName: nameOfArn(TableName) };
  if (isObject(RequestItems) && operation.startsWith("Batch")) {
    return Object.keys(RequestItems).some(isArn)
      ? { ...input, RequestItems: namedKeys(RequestItems) }
      : input;
  }
  if (Array.isArray(TransactItems) && operation.startsWith("Transact")) {
    return TransactItems.some((item) => isArn(actionOf(item)?.action["TableName"]))
      ? { ...input, TransactItems: TransactItems.map((item) => namedAction(item)) }
      : input;
  }
  return input;
}

/** The ARNs in an input, by the names of their tables. */
export function arnsIn(input: unknown): ReadonlyMap<string, string> {
  const { TableName, RequestItems, TransactItems } = input as Record<string, unknown>;
  const given: unknown[] = [TableName];
  if (isObject(RequestItems)) given.push(...Object.keys(RequestItems));
  if (Array.isArray(TransactItems)) {
    given.push(...TransactItems.map((item) => actionOf(item)?.action["TableName"]));
  }
  return new Map(given.filter(isArn).map((arn) => [nameOfArn(arn), arn]));
}

function namedKeys(requests: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const given of Object.keys(requests)) {
    const name = nameOfArn(given);
    if (Object.hasOwn(named, name)) throw invalidParameter(`Table ${name} is specified more than once`);
    setOwn(named, name, requests[given]);
  }
  return named;
}

function namedAction(item: unknown): unknown {
  const found = actionOf(item);
  const arn = found?.action["TableName"];
  if (found === undefined || !isArn(arn)) return item;
  return { [found.kind]: { ...found.action, TableName: nameOfArn(arn) } };
}

/** The one action of an element of a transaction. */
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

/** Whether something is, or means to be, an ARN. */
export function isArn(given: unknown): given is string {
  return typeof given === "string" && given.startsWith("arn:");
}

const tableArnPattern = /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:[0-9]{12}:table\/([a-zA-Z0-9_.-]+)$/;

/**
 * The name in a table's ARN; anything else as it is. An engine has one set of tables, so that the region and the account
 * do not count, as in DynamoDB Local: a client may be configured for any.
 */
export function nameOfArn(nameOrArn: string): string {
  return tableArnPattern.exec(nameOrArn)?.[1] ?? nameOrArn;
}
