import { type DynamoPort, type InputOf, type Item, type OperationName, wrapPort } from "@tablekeep/core";
import { defaultInbox } from "./model/inbox-name.ts";

/**
 * Returns a port to the items of one inbox: every partition key gets its prefix in requests, and loses it in results. So a
 * store needs no knowledge of inboxes, and no key of one inbox can be read or written through another. Items inside errors keep
 * their stored keys. Operations that do not address partitions are passed on; scans and statements are not supported.
 */
export function inboxPort(port: DynamoPort, inbox: string): DynamoPort {
  if (inbox === defaultInbox) return port;
  const prefix = `i#${inbox}#`;
  const to: Change = (item) => ({ ...item, pk: { S: prefix + (item["pk"]?.S ?? "") } });
  const from: Change = (item) => {
    const key = item["pk"]?.S;
    return key === undefined ? item : { ...item, pk: { S: key.slice(prefix.length) } };
  };
  const wrapped = wrapPort(port, async (operation, input, options, next) =>
    changed(await next(operation, request(operation, input, to), options), from),
  );
  return port.atomicBatches ? { ...wrapped, atomicBatches: true } : wrapped;
}

type Change = (item: Item) => Item;
type Values = Readonly<Record<string, unknown>>;

/** Operations without keys of items. */
const passed: ReadonlySet<OperationName> = new Set([
  "DescribeTable",
  "DescribeTimeToLive",
  "CreateTable",
  "UpdateTimeToLive",
]);
const keyed: ReadonlySet<OperationName> = new Set([
  "GetItem",
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchGetItem",
  "BatchWriteItem",
  "TransactGetItems",
  "TransactWriteItems",
]);

function request<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  change: Change,
): InputOf<Name> {
  if (passed.has(operation)) return input;
  if (operation === "Query") return query(input as InputOf<"Query">, change) as InputOf<Name>;
  if (!keyed.has(operation)) throw new TypeError(`an inbox does not support ${operation}`);
  return changed(input, change);
}

/** The value that the partition key is compared with is the first one of the condition. */
function query(input: InputOf<"Query">, change: Change): InputOf<"Query"> {
  const {
    KeyConditionExpression = "",
    ExpressionAttributeNames = {},
    ExpressionAttributeValues = {},
  } = input;
  const [, key = "", name] = /^\s*(#?\w+)\s*=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
  const value = name === undefined ? undefined : ExpressionAttributeValues[name];
  if (name === undefined || value === undefined || (ExpressionAttributeNames[key] ?? key) !== "pk")
    throw new TypeError("a query in an inbox must begin with the condition pk = :value");
  return {
    ...changed(input, change),
    ExpressionAttributeValues: { ...ExpressionAttributeValues, [name]: change({ pk: value })["pk"] ?? value },
  };
}

/** Fields that hold an item or a key. */
const items: ReadonlySet<string> = new Set([
  "Key",
  "Item",
  "Attributes",
  "ExclusiveStartKey",
  "LastEvaluatedKey",
]);
/** Fields that hold lists of items or keys. */
const lists: ReadonlySet<string> = new Set(["Keys", "Items"]);
/** Fields that hold requests or results, by table or in order. */
const nested: ReadonlySet<string> = new Set([
  "RequestItems",
  "TransactItems",
  "Responses",
  "UnprocessedItems",
  "UnprocessedKeys",
]);

/** A request or a result with converted items and keys. */
function changed<Value extends object>(value: Value, change: Change): Value {
  const fields = Object.entries(value).map(([name, field]) => {
    if (field === undefined || field === null) return [name, field];
    if (items.has(name)) return [name, change(field as Item)];
    if (lists.has(name)) return [name, (field as Item[]).map(change)];
    return [name, nested.has(name) ? inside(name, field as object, change) : field];
  });
  return Object.fromEntries(fields) as Value;
}

/** Transactions are lists, batches are objects by table. */
function inside(name: string, field: object, change: Change): unknown {
  const entry = (each: Values) =>
    name === "Responses" ? changed(each, change) : mapValues(each, (one) => changed(one as object, change));
  if (Array.isArray(field)) return field.map(entry);
  return mapValues(field as Values, (byTable) => {
    if (!Array.isArray(byTable)) return changed(byTable as object, change);
    return name === "Responses" ? byTable.map(change) : byTable.map(entry);
  });
}

function mapValues(fields: Values, map: (value: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}
