import type { Item, PutItemInput } from "@tablekeep/core";
import { l, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

type Common = Pick<PutItemInput, "ReturnValuesOnConditionCheckFailure">;

const old: Item = { pk, a: s("old"), l: l(n(1)) };
const fails = { ConditionExpression: "attribute_exists(nowhere)" };

const writes: Record<string, (returns: Common) => Partial<Row>> = {
  PutItem: (returns) => ({ putItem: { Item: { pk, a: s("new") }, ...fails, ...returns } }),
  UpdateItem: (returns) => ({
    updateItem: {
      Key: { pk },
      UpdateExpression: "SET a = :new",
      ExpressionAttributeValues: { ":new": s("new") },
      ...fails,
      ...returns,
    },
  }),
  DeleteItem: (returns) => ({ deleteItem: { Key: { pk }, ...fails, ...returns } }),
};

/** What a failing write returns of the item that is there. */
const failures: readonly (readonly [
  what: string,
  before: Item[],
  returns: "ALL_OLD" | "NONE" | undefined,
  item: Item | undefined,
])[] = [
  ["changes nothing and returns no item", [old], undefined, undefined],
  ["returns the item for ALL_OLD", [old], "ALL_OLD", old],
  ["returns no item for NONE", [old], "NONE", undefined],
  ["returns no item for ALL_OLD where there is none", [], "ALL_OLD", undefined],
];

export const conditionFailureCases: readonly PortCase[] = cases(
  { source: "AWS: API_PutItem, API_UpdateItem, API_DeleteItem, ReturnValuesOnConditionCheckFailure", table: "simple" },
  Object.entries(writes).flatMap(([operation, write]) =>
    failures.map(
      ([what, before, returns, item]): Row => ({
        name: `${operation} whose condition fails ${what}`,
        given: { simple: before },
        ...write({ ReturnValuesOnConditionCheckFailure: returns }),
        rejected: "ConditionalCheckFailedException: The conditional request failed",
        shows: { item },
        after: { simple: before },
      }),
    ),
  ),
);
