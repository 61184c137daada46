/** Mistakes that a store could make, each as a port that makes them. The checker must find every one. */
import { wrapPort } from "@tablekeep/core";

/** Changes the input of some operations. */
function changed(operations, change) {
  return (port) =>
    wrapPort(port, (operation, input, options, next) =>
      next(operation, operations.includes(operation) ? change(input) : input, options),
    );
}

const without = (object, ...names) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** The update without its condition; what only the condition used goes too. */
function unconditional(update) {
  const values = without(update.ExpressionAttributeValues, ":expected");
  return { ...without(update, "ConditionExpression"), ExpressionAttributeValues: values };
}

export const planted = {
  "a version that is not checked": changed(["UpdateItem"], unconditional),
  "reads that are not strong": changed(["BatchGetItem"], (input) => ({
    RequestItems: Object.fromEntries(
      Object.entries(input.RequestItems).map(([table, asked]) => [table, without(asked, "ConsistentRead")]),
    ),
  })),
  "a creation over what stands there": changed(["TransactWriteItems"], (input) => ({
    ...input,
    TransactItems: input.TransactItems.map((action) =>
      action.Put?.ConditionExpression ? { Put: without(action.Put, "ConditionExpression") } : action,
    ),
  })),
  "a deletion that is forgotten": changed(["TransactWriteItems"], (input) => ({
    ...input,
    TransactItems: input.TransactItems.filter(({ Put }) => Put?.Item.ExpiresAt === undefined),
  })),
  "a lost answer that counts as a failure": (port) =>
    wrapPort(port, (operation, input, options, next) =>
      next(operation, input, options).catch((error) => {
        if (error.ambiguous) Object.defineProperty(error, "ambiguous", { value: false });
        throw error;
      }),
    ),
};

/** Faults without which a mistake has no effect. */
export const neededKinds = {
  "reads that are not strong": ["stale"],
  "a lost answer that counts as a failure": ["lost-after-apply", "error-after-apply"],
};
