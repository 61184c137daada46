import type { Item } from "@tablekeep/core";
import { refuses, same } from "./expectations.ts";
import type { PortCase } from "./port-case.ts";
import { sampleItem } from "./sample-rows.ts";

/** A condition on one item, and whether it holds. */
interface ConditionRow {
  readonly name: string;
  readonly source: string;
  readonly holds: boolean;
  readonly expression: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
  /** The item under test, without its key; `absent` for none. @default {@link sampleItem} */
  readonly item?: Item | "absent";
  readonly gaps?: PortCase["gaps"];
}

/** A case that deletes an item under the condition: the item is gone afterwards, or unchanged if the condition fails. */
export function conditionCase(row: ConditionRow): PortCase {
  const { name, source, holds, expression, values, names, item = sampleItem, gaps } = row;
  return {
    name,
    source,
    ...(gaps && { gaps }),
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      const before = item === "absent" ? undefined : { ...item, ...Key };
      if (before !== undefined) await port.putItem({ TableName, Item: before });
      const deleted = port.deleteItem({
        TableName,
        Key,
        ConditionExpression: expression,
        ExpressionAttributeValues: values,
        ExpressionAttributeNames: names,
      });
      if (holds) await deleted;
      else await refuses(deleted, "ConditionalCheckFailedException", "The conditional request failed");
      const { Item: after } = await port.getItem({ TableName, Key, ConsistentRead: true });
      same(after, holds ? undefined : before);
    },
  };
}

/** A condition that DynamoDB does not accept, whatever the item. */
export interface InvalidConditionRow {
  readonly name: string;
  readonly source: string;
  readonly expression: string;
  /** DynamoDB's words, or a part of them; only the exception counts without it. */
  readonly text?: string | RegExp;
  readonly values?: Item;
  readonly names?: Record<string, string>;
  readonly gaps?: PortCase["gaps"];
}

/** A case in which a condition is rejected before any item is read. */
export function invalidConditionCase(row: InvalidConditionRow): PortCase {
  const { name, source, expression, text, values, names, gaps } = row;
  return {
    name,
    source,
    ...(gaps && { gaps }),
    async run({ port, tables, unique }) {
      const put = port.putItem({
        TableName: tables.simple,
        Item: { pk: { S: unique() } },
        ConditionExpression: expression,
        ExpressionAttributeValues: values,
        ExpressionAttributeNames: names,
      });
      await refuses(put, "ValidationException", text);
    },
  };
}
