import type { Item } from "@tablekeep/core";
import { pk } from "./attribute-values.ts";
import type { Row } from "./case-table.ts";

/** An update of one item, by an expression. */
export interface UpdateRow {
  readonly name: string;
  readonly source?: string;
  readonly gap?: string;
  /** The item before, without its key; `absent` for none. */
  readonly before: Item | "absent";
  readonly expression: string;
  readonly values?: Item;
  readonly names?: Record<string, string>;
  /** The item after, without its key; `absent` for none. @default as before */
  readonly after?: Item | "absent";
  /** DynamoDB's words, or a part of them, if it rejects the update. */
  readonly rejected?: string;
}

/** A row in which an update turns one item into another, or is rejected and leaves the item as it was. */
export function updateRow(row: UpdateRow): Row {
  const { before, expression, values, names, after = before, ...rest } = row;
  const stored = (item: Item | "absent") => ({ simple: item === "absent" ? [] : [{ ...item, pk }] });
  return {
    ...rest,
    table: "simple",
    given: stored(before),
    updateItem: {
      Key: { pk },
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
    },
    after: stored(after),
  };
}
