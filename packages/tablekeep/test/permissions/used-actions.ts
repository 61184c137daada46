import { type DynamoPort, type OperationName, wrapPort } from "@tablekeep/core";

/** A port, and the actions that a policy of IAM must allow for what it did to a table. */
export interface WatchedPort {
  readonly port: DynamoPort;
  readonly actions: ReadonlySet<string>;
}

/** Watches which actions of IAM the calls on `port` need on the table of this name. */
export function watchActions(port: DynamoPort, table: string): WatchedPort {
  const actions = new Set<string>();
  const watched = wrapPort(port, (operation, input, options, next) => {
    for (const action of actionsOf(operation, input, table)) actions.add(action);
    return next(operation, input, options);
  });
  return { port: watched, actions };
}

const actionOf: Readonly<Record<string, string>> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

/** Where a request names tables. */
interface NamesTables {
  readonly TableName?: string;
  readonly RequestItems?: object;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
}

function actionsOf(operation: OperationName, input: unknown, table: string): string[] {
  const { TableName, RequestItems = {}, TransactItems } = input as NamesTables;
  if (TransactItems === undefined)
    return TableName === table || Object.hasOwn(RequestItems, table) ? [operation] : [];
  // A transaction has no IAM action; it needs those of its operations.
  return TransactItems.flatMap(Object.entries)
    .filter(([, request]) => request.TableName === table)
    .map(([kind]) => actionOf[kind] ?? kind);
}
