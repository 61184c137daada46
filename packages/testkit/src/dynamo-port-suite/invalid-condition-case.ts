import type { Item } from "@tablekeep/core";
import { refuses } from "./expectations.ts";
import type { PortCase } from "./port-case.ts";

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

/** A case in which a condition is refused before any item is looked at. */
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
