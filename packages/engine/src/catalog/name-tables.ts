import { setOwn } from "../item/wire-value.ts";
import { nameOfArn, type Place } from "./table-arn.ts";

/** The input with names wherever a table is given by its ARN. Anything that has not the expected shape is let pass. */
export function nameTables(place: Place, operation: string, input: unknown): unknown {
  if (!isObject(input)) return input;
  const { TableName, RequestItems, TransactItems } = input;
  if (typeof TableName === "string" && TableName.startsWith("arn:")) {
    return { ...input, TableName: nameOfArn(place, TableName) };
  }
  if (isObject(RequestItems) && operation.startsWith("Batch")) {
    return Object.keys(RequestItems).some(isArn)
      ? { ...input, RequestItems: namedKeys(place, RequestItems) }
      : input;
  }
  if (Array.isArray(TransactItems) && operation.startsWith("Transact")) {
    return { ...input, TransactItems: TransactItems.map((item) => namedAction(place, item)) };
  }
  return input;
}

function namedKeys(place: Place, requests: Record<string, unknown>): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const name of Object.keys(requests)) setOwn(named, nameOfArn(place, name), requests[name]);
  return named;
}

function namedAction(place: Place, item: unknown): unknown {
  if (!isObject(item)) return item;
  const [kind, ...others] = Object.keys(item);
  const action = kind === undefined ? undefined : item[kind];
  if (kind === undefined || others.length > 0 || !isObject(action)) return item;
  const { TableName } = action;
  if (typeof TableName !== "string" || !isArn(TableName)) return item;
  return { [kind]: { ...action, TableName: nameOfArn(place, TableName) } };
}

function isArn(name: string): boolean {
  return name.startsWith("arn:");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
