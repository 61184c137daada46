import type { Item } from "@tablekeep/core";
import { pk } from "./attribute-values.ts";
import type { Row } from "./case-table.ts";
import { sampleItem } from "./sample-rows.ts";

/** An expression and its placeholders. */
interface Expression {
  readonly name: string;
  readonly source?: string;
  readonly expression: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
}

/** A condition on one item, and whether it holds. */
interface ConditionRow extends Expression {
  readonly holds: boolean;
  /** The item under test, without its key; `absent` for none. @default {@link sampleItem} */
  readonly item?: Item | "absent";
}

/** A condition that DynamoDB does not accept, whatever the item. */
export interface InvalidConditionRow extends Expression {
  /** DynamoDB's words, or a part of them. @default any */
  readonly text?: string;
}

const conditionOf = ({ expression, values, names }: Expression) => ({
  ConditionExpression: expression,
  ExpressionAttributeValues: values,
  ExpressionAttributeNames: names,
});

const named = ({ name, source }: Expression) => ({ name, ...(source !== undefined && { source }) });

/** A row that deletes an item under the condition: the item is gone afterwards, or unchanged if the condition fails. */
export function conditionRow(row: ConditionRow): Row {
  const { holds, item = sampleItem } = row;
  const before = { simple: item === "absent" ? [] : [{ ...item, pk }] };
  return {
    ...named(row),
    table: "simple",
    given: before,
    deleteItem: { Key: { pk }, ...conditionOf(row) },
    ...(!holds && { rejected: "ConditionalCheckFailedException: The conditional request failed" }),
    after: holds ? { simple: [] } : before,
  };
}

/** A row in which a condition is rejected before any item is read. */
export function invalidConditionRow(row: InvalidConditionRow): Row {
  return {
    ...named(row),
    table: "simple",
    putItem: { Item: { pk }, ...conditionOf(row) },
    rejected: row.text ?? "",
  };
}
