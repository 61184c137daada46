import type { Item } from "@tablekeep/core";
import { refuses } from "./expectations.ts";
import type { PortCase } from "./port-case.ts";
import { sampleItem } from "./sample-item.ts";

/** A condition on one item, and whether it holds. */
export interface ConditionRow {
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

/** A case that deletes an item under the condition: it is accepted, or the condition fails and the item stays. */
export function conditionCase(row: ConditionRow): PortCase {
  const { name, source, holds, expression, values, names, item = sampleItem, gaps } = row;
  return {
    name,
    source,
    ...(gaps && { gaps }),
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      if (item !== "absent") await port.putItem({ TableName, Item: { ...item, ...Key } });
      const deleted = port.deleteItem({
        TableName,
        Key,
        ConditionExpression: expression,
        ExpressionAttributeValues: values,
        ExpressionAttributeNames: names,
      });
      if (holds) await deleted;
      else await refuses(deleted, "ConditionalCheckFailedException", "The conditional request failed");
    },
  };
}
