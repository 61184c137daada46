import type { DynamoPort, Item, ReturnValuesOnConditionCheckFailure } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS: API_PutItem, API_UpdateItem, API_DeleteItem, ReturnValuesOnConditionCheckFailure";

type Key = { pk: { S: string } };
type Write = (
  port: DynamoPort,
  common: {
    TableName: string;
    ConditionExpression: string;
    ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure;
  },
  key: Key,
) => Promise<unknown>;

const writes: Record<string, Write> = {
  PutItem: (port, common, key) => port.putItem({ ...common, Item: { ...key, a: { S: "new" } } }),
  UpdateItem: (port, common, Key) =>
    port.updateItem({
      ...common,
      Key,
      UpdateExpression: "SET a = :new",
      ExpressionAttributeValues: { ":new": { S: "new" } },
    }),
  DeleteItem: (port, common, Key) => port.deleteItem({ ...common, Key }),
};

const old: Item = { a: { S: "old" }, l: { L: [{ N: "1" }] } };
const fails = "attribute_exists(nowhere)";

/** One failing write, with the item as it was given back or not. */
function failure(
  operation: string,
  what: string,
  before: Item | undefined,
  returns: ReturnValuesOnConditionCheckFailure | undefined,
  gives: boolean,
): PortCase {
  return {
    name: `${operation} whose condition fails ${what}`,
    source,
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      if (before) await port.putItem({ TableName, Item: { ...before, ...Key } });
      const common = {
        TableName,
        ConditionExpression: fails,
        ReturnValuesOnConditionCheckFailure: returns,
      };
      const error = await refuses(
        writes[operation]?.(port, common, Key) ?? Promise.reject(new Error(operation)),
        "ConditionalCheckFailedException",
        "The conditional request failed",
      );
      same(error.details.item, gives ? { ...before, ...Key } : undefined);
      const { Item } = await port.getItem({ TableName, Key, ConsistentRead: true });
      same(Item, before && { ...before, ...Key }, "nothing may have changed");
    },
  };
}

export const conditionFailureCases: readonly PortCase[] = Object.keys(writes).flatMap((operation) => [
  failure(operation, "changes nothing and gives no item", old, undefined, false),
  failure(operation, "gives the item for ALL_OLD", old, "ALL_OLD", true),
  failure(operation, "gives no item for NONE", old, "NONE", false),
  failure(operation, "gives no item for ALL_OLD where there is none", undefined, "ALL_OLD", false),
]);
