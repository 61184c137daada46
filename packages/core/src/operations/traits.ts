import type { OperationName } from "./operations.ts";
import { isSelect } from "./partiql.ts";

/**
 * What sending a request does, and so what sending it again would do:
 *
 * - `read`: it changes nothing. It may be sent any number of times, and its failure is never ambiguous.
 * - `repeatable`: a write whose second copy leaves what the first one left, unless another client wrote in between. The AWS
 *   SDKs resend it as well.
 * - `tokened`: a transaction that DynamoDB recognizes by its token, so that it is applied once, for a limited time.
 * - `once`: a write that may do harm when it is applied twice.
 */
export type RequestEffect = "read" | "repeatable" | "tokened" | "once";

/** The facts about one operation that code elsewhere depends on. */
export interface OperationTraits {
  /** Which of DynamoDB's two services answers it. */
  readonly service: "dynamodb" | "streams";
  /** What it reads or changes. Operations on `items` and `statements` are the data plane, `tables` is the control plane. */
  readonly on: "items" | "statements" | "tables" | "account" | "streams";
  /** What sending it does. Of `statements`: unless all of them are SELECTs, see {@link requestEffect}. */
  readonly effect: RequestEffect;
  /** The member of the input that names tables; undefined where none does. */
  readonly tables?: "TableName" | "RequestItems" | "TransactItems";
  /** The member of the input that holds PartiQL statements. */
  readonly statements?: "Statement" | "Statements" | "TransactStatements";
  /** It applies all of its actions or none. */
  readonly transaction?: boolean;
  /** It reads as many items as fit into a response, by key range or by a list of keys. */
  readonly largeRead?: boolean;
  /** It accepts `ReturnConsumedCapacity`. */
  readonly reportsCapacity?: boolean;
  /** Its output contains timestamps, which travel as numbers of seconds. */
  readonly hasDates?: boolean;
  /** A success has an empty body. */
  readonly emptyResponse?: boolean;
}

const item = { service: "dynamodb", on: "items", tables: "TableName", reportsCapacity: true } as const;
const batch = { ...item, tables: "RequestItems" } as const;
const transaction = { ...item, tables: "TransactItems", transaction: true } as const;
const statement = { service: "dynamodb", on: "statements", reportsCapacity: true } as const;
const table = { service: "dynamodb", on: "tables", tables: "TableName" } as const;
const tags = { service: "dynamodb", on: "tables" } as const;
const account = { service: "dynamodb", on: "account" } as const;
const stream = { service: "streams", on: "streams" } as const;

/** Every operation and its traits. */
export const operationTraits: Readonly<Record<OperationName, OperationTraits>> = {
  GetItem: { ...item, effect: "read" },
  PutItem: { ...item, effect: "repeatable" },
  UpdateItem: { ...item, effect: "once" },
  DeleteItem: { ...item, effect: "repeatable" },
  Query: { ...item, effect: "read", largeRead: true },
  Scan: { ...item, effect: "read", largeRead: true },
  BatchGetItem: { ...batch, effect: "read", largeRead: true },
  BatchWriteItem: { ...batch, effect: "repeatable" },
  TransactGetItems: { ...transaction, effect: "read" },
  TransactWriteItems: { ...transaction, effect: "tokened" },
  ExecuteStatement: { ...statement, effect: "once", statements: "Statement" },
  BatchExecuteStatement: { ...statement, effect: "once", statements: "Statements" },
  ExecuteTransaction: {
    ...statement,
    effect: "tokened",
    statements: "TransactStatements",
    transaction: true,
  },
  CreateTable: { ...table, effect: "once", hasDates: true },
  UpdateTable: { ...table, effect: "once", hasDates: true },
  DescribeTable: { ...table, effect: "read", hasDates: true },
  DeleteTable: { ...table, effect: "once", hasDates: true },
  ListTables: { ...account, effect: "read" },
  UpdateTimeToLive: { ...table, effect: "once" },
  DescribeTimeToLive: { ...table, effect: "read" },
  TagResource: { ...tags, effect: "repeatable", emptyResponse: true },
  UntagResource: { ...tags, effect: "repeatable", emptyResponse: true },
  ListTagsOfResource: { ...tags, effect: "read" },
  DescribeLimits: { ...account, effect: "read" },
  DescribeEndpoints: { ...account, effect: "read" },
  ListStreams: { ...stream, effect: "read", tables: "TableName" },
  DescribeStream: { ...stream, effect: "read", hasDates: true },
  GetShardIterator: { ...stream, effect: "read" },
  GetRecords: { ...stream, effect: "read", hasDates: true },
};

/** The names of all operations. */
export const operationNames: readonly OperationName[] = Object.keys(operationTraits) as OperationName[];

/**
 * Returns whether `name` is one of DynamoDB's operations that a port has.
 *
 * @example
 * isOperationName("PutItem"); // true
 */
export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(operationTraits, name);
}

/**
 * Returns what sending this request does. PartiQL statements are a read only if each of them is a SELECT.
 *
 * @example
 * requestEffect("GetItem", { TableName: "t", Key: { pk: { S: "a" } } }); // "read"
 */
export function requestEffect(operation: OperationName, input: unknown): RequestEffect {
  const { effect, statements } = operationTraits[operation];
  if (statements === undefined) return effect;
  const texts = statementsOf(operation, input);
  return texts.length > 0 && texts.every(isSelect) ? "read" : effect;
}

/**
 * Returns whether a request may change something.
 *
 * @example
 * mayWrite("ExecuteStatement", { Statement: "SELECT * FROM t" }); // false
 */
export function mayWrite(operation: OperationName, input: unknown): boolean {
  return requestEffect(operation, input) !== "read";
}

/**
 * Returns the PartiQL statements of a request, in order; a member that is not a string is an empty statement.
 *
 * @example
 * statementsOf("ExecuteStatement", { Statement: "SELECT * FROM t" }); // ["SELECT * FROM t"]
 */
export function statementsOf(operation: OperationName, input: unknown): readonly string[] {
  const { statements } = operationTraits[operation];
  const given = statements === undefined ? undefined : memberOf(input, statements);
  if (statements === "Statement") return [typeof given === "string" ? given : ""];
  if (!Array.isArray(given)) return [];
  return given.map((each) => {
    const text = memberOf(each, "Statement");
    return typeof text === "string" ? text : "";
  });
}

/**
 * Returns the tables that a request names, once each, by name or ARN as given. PartiQL statements name theirs in their text,
 * which is not parsed here. An input of the wrong shape names none.
 *
 * @example
 * tablesOf("BatchGetItem", { RequestItems: { a: {}, b: {} } }); // ["a", "b"]
 */
export function tablesOf(operation: OperationName, input: unknown): readonly string[] {
  const { tables } = operationTraits[operation];
  if (tables === undefined) return [];
  const given = memberOf(input, tables);
  if (tables === "TableName") return typeof given === "string" ? [given] : [];
  if (typeof given !== "object" || given === null) return [];
  if (tables === "RequestItems") return Object.keys(given);
  return Array.isArray(given) ? tablesOfActions(given) : [];
}

/**
 * Returns the one table that a request is about; undefined if it names none or several.
 *
 * @example
 * tableOf("GetItem", { TableName: "t", Key: { pk: { S: "a" } } }); // "t"
 */
export function tableOf(operation: OperationName, input: unknown): string | undefined {
  const names = tablesOf(operation, input);
  return names.length === 1 ? names[0] : undefined;
}

function tablesOfActions(actions: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const action of actions) {
    if (typeof action !== "object" || action === null) continue;
    for (const kind in action) {
      const name = memberOf(memberOf(action, kind), "TableName");
      if (typeof name === "string") names.add(name);
    }
  }
  return [...names];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
