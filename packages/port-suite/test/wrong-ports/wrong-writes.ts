import { DynamoError, type Item, isDynamoError } from "@tablekeep/core";
import { answering, asking, telling, type WrongPort, withoutExpression } from "./wrong-port.ts";

/** The error with other details. */
function retold(error: DynamoError, change: Partial<DynamoError["details"]>): DynamoError {
  return new DynamoError({ ...error.details, ...change });
}

/** Ports that are wrong in writes of one item. */
export const wrongWrites: readonly WrongPort[] = [
  {
    name: "drops the condition of a put",
    area: "PutItem whose condition fails",
    wrap: asking("PutItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "drops the condition of an update",
    area: "UpdateItem whose condition fails",
    wrap: asking("UpdateItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "drops the condition of a delete",
    area: "DeleteItem whose condition fails",
    wrap: asking("DeleteItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "swallows a failed condition",
    area: "PutItem whose condition fails",
    wrap: answering("PutItem", () => async (input, ask) => {
      try {
        return await ask(input);
      } catch (error) {
        if (isDynamoError(error, "ConditionalCheckFailedException")) return {};
        throw error;
      }
    }),
  },
  {
    name: "loses the item that failed a condition",
    area: "PutItem whose condition fails",
    wrap: answering("PutItem", () => async (input, ask) => {
      try {
        return await ask(input);
      } catch (error) {
        throw isDynamoError(error) ? retold(error, { item: undefined }) : error;
      }
    }),
  },
  {
    name: "ignores the legacy Expected",
    area: "Expected guards",
    wrap: asking("PutItem", ({ Expected: _, ConditionalOperator: __, ...rest }) => rest),
  },
  {
    name: "ignores ReturnValues",
    area: "UpdateItem with ALL_OLD",
    wrap: telling("UpdateItem", ({ Attributes: _, ...rest }) => rest),
  },
  {
    name: "gives new values where the old were asked for",
    area: "UpdateItem with ALL_OLD",
    wrap: asking("UpdateItem", (input) =>
      input.ReturnValues === "ALL_OLD" ? { ...input, ReturnValues: "ALL_NEW" } : input,
    ),
  },
  {
    name: "keeps old attributes on a put",
    area: "PutItem replaces",
    wrap: answering("PutItem", () => async (input, ask) => {
      const answer = await ask({ ...input, ReturnValues: "ALL_OLD" });
      const { Attributes } = answer;
      if (Attributes !== undefined)
        await ask({ TableName: input.TableName, Item: { ...Attributes, ...input.Item } });
      return input.ReturnValues === "ALL_OLD" ? answer : {};
    }),
  },
  {
    name: "tells nothing of a delete",
    area: "DeleteItem with ALL_OLD",
    wrap: telling("DeleteItem", ({ Attributes: _, ...rest }) => rest),
  },
  {
    name: "stores what the caller still holds",
    area: "What a caller does",
    wrap: (port) => {
      const held: { table: string | undefined; item: Item }[] = [];
      const putting = answering("PutItem", () => async (input, ask) => {
        const answer = await ask(input);
        if (input.Item !== undefined) held.unshift({ table: input.TableName, item: input.Item });
        return answer;
      });
      const getting = answering("GetItem", () => async (input, ask) => {
        const answer = await ask(input);
        const mine = held.find(({ table, item }) => table === input.TableName && matches(item, input.Key));
        return answer.Item === undefined || mine === undefined ? answer : { ...answer, Item: mine.item };
      });
      return getting(putting(port));
    },
  },
];

function matches(item: Item, key: Item | undefined): boolean {
  const entries = Object.entries(key ?? {});
  return entries.every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value));
}
