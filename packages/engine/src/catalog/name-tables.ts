import { invalidParameter } from "../item/refuse.ts";
import { setOwn } from "../item/wire-value.ts";
import { isArn, nameOfArn } from "./table-arn.ts";

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
