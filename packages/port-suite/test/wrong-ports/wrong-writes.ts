import { DynamoError, type Item, isDynamoError } from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort, withoutExpression } from "./wrong-port.ts";

/** The error with other details. */
function retold(error: DynamoError, change: Partial<DynamoError["details"]>): DynamoError {
  return new DynamoError({ ...error.details, ...change });
}

/** Ports that are wrong in writes of one item. */
export const wrongWrites: readonly WrongPort[] = [
  {
    name: "drops the condition of a put",
    area: "PutItem whose condition fails",
    wrap: changingInput("PutItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "drops the condition of an update",
    area: "UpdateItem whose condition fails",
    wrap: changingInput("UpdateItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "drops the condition of a delete",
    area: "DeleteItem whose condition fails",
    wrap: changingInput("DeleteItem", (input) => withoutExpression(input, "ConditionExpression")),
  },
  {
    name: "swallows a failed condition",
    area: "PutItem whose condition fails",
    wrap: replacing("PutItem", () => async (input, send) => {
      try {
        return await send(input);
      } catch (error) {
        if (isDynamoError(error, "ConditionalCheckFailedException")) return {};
        throw error;
      }
    }),
  },
  {
    name: "loses the item that failed a condition",
    area: "PutItem whose condition fails",
    wrap: replacing("PutItem", () => async (input, send) => {
      try {
        return await send(input);
      } catch (error) {
        throw isDynamoError(error) ? retold(error, { item: undefined }) : error;
      }
    }),
  },
  {
    name: "ignores the legacy Expected",
    area: "Expected guards",
    wrap: changingInput("PutItem", ({ Expected: _, ConditionalOperator: __, ...rest }) => rest),
  },
  {
    name: "ignores ReturnValues",
    area: "UpdateItem with ALL_OLD",
    wrap: changingOutput("UpdateItem", ({ Attributes: _, ...rest }) => rest),
  },
  {
    name: "returns new values where the old were requested",
    area: "UpdateItem with ALL_OLD",
    wrap: changingInput("UpdateItem", (input) =>
      input.ReturnValues === "ALL_OLD" ? { ...input, ReturnValues: "ALL_NEW" } : input,
    ),
  },
  {
    name: "keeps old attributes on a put",
    area: "PutItem replaces",
    wrap: replacing("PutItem", () => async (input, send) => {
      const answer = await send({ ...input, ReturnValues: "ALL_OLD" });
      const { Attributes } = answer;
      if (Attributes !== undefined)
        await send({ TableName: input.TableName, Item: { ...Attributes, ...input.Item } });
      return input.ReturnValues === "ALL_OLD" ? answer : {};
    }),
  },
  {
    name: "returns nothing for a delete",
    area: "DeleteItem with ALL_OLD",
    wrap: changingOutput("DeleteItem", ({ Attributes: _, ...rest }) => rest),
  },
  {
    name: "stores what the caller still holds",
    area: "What a caller does",
    wrap: (port) => {
      const held: { table: string | undefined; item: Item }[] = [];
      const putting = replacing("PutItem", () => async (input, send) => {
        const answer = await send(input);
        if (input.Item !== undefined) held.unshift({ table: input.TableName, item: input.Item });
        return answer;
      });
      const getting = replacing("GetItem", () => async (input, send) => {
        const answer = await send(input);
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
