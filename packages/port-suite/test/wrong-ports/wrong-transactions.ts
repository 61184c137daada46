import {
  type CancellationReason,
  DynamoError,
  type DynamoPort,
  isDynamoError,
  type TransactWriteItem,
  type TransactWriteItemsOutput,
} from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort } from "./wrong-port.ts";

/** Tells other reasons for a cancelled transaction. */
function retelling(
  change: (reasons: readonly CancellationReason[]) => readonly CancellationReason[],
): WrongPort["wrap"] {
  return replacing("TransactWriteItems", () => async (input, send) => {
    try {
      return await send(input);
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
      const cancellationReasons = change(error.details.cancellationReasons ?? []);
      throw new DynamoError({ ...error.details, cancellationReasons });
    }
  });
}

/** One action of a transaction as a separate write. */
async function alone(
  port: DynamoPort,
  { Put, Update, Delete, ConditionCheck }: TransactWriteItem,
): Promise<void> {
  if (Put !== undefined) await port.putItem(Put);
  if (Update !== undefined) await port.updateItem(Update);
  if (Delete !== undefined) await port.deleteItem(Delete);
  if (ConditionCheck !== undefined) await port.transactWriteItems({ TransactItems: [{ ConditionCheck }] });
}

async function oneByOne(
  port: DynamoPort,
  actions: readonly TransactWriteItem[],
): Promise<TransactWriteItemsOutput> {
  const cancellationReasons = actions.map((): CancellationReason => ({ Code: "None" }));
  for (const [index, action] of actions.entries()) {
    try {
      await alone(port, action);
    } catch (error) {
      if (!isDynamoError(error)) throw error;
      cancellationReasons[index] = {
        Code: "ConditionalCheckFailed",
        Message: "The conditional request failed",
      };
      const codes = cancellationReasons.map((reason) => reason.Code).join(", ");
      const serviceMessage = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
      throw new DynamoError({
        exception: "TransactionCanceledException",
        serviceMessage,
        cancellationReasons,
      });
    }
  }
  return {};
}

/** Ports that are wrong in transactions. */
export const wrongTransactions: readonly WrongPort[] = [
  {
    name: "turns a transaction into single writes",
    area: "TransactWriteItems writes nothing",
    wrap: replacing("TransactWriteItems", (port) => (input) => oneByOne(port, input.TransactItems ?? [])),
  },
  {
    name: "drops the cancellation reasons",
    area: "TransactWriteItems returns None",
    wrap: retelling(() => []),
  },
  {
    name: "reverses the cancellation reasons",
    area: "TransactWriteItems returns None",
    wrap: retelling((reasons) => reasons.toReversed()),
  },
  {
    name: "returns the failed reasons only",
    area: "TransactWriteItems returns None",
    wrap: retelling((reasons) => reasons.filter((reason) => reason.Code !== "None")),
  },
  {
    name: "drops the items of cancellation reasons",
    area: "TransactWriteItems returns the item",
    wrap: retelling((reasons) => reasons.map(({ Item: _, ...rest }) => rest)),
  },
  {
    name: "ignores checks",
    area: "TransactWriteItems writes nothing",
    wrap: replacing("TransactWriteItems", () => async (input, send) => {
      const writes = input.TransactItems?.filter((action) => action.ConditionCheck === undefined);
      return writes?.length === 0 ? {} : send({ ...input, TransactItems: writes });
    }),
  },
  {
    name: "ignores the idempotency token",
    area: "TransactWriteItems with the token",
    wrap: changingInput("TransactWriteItems", ({ ClientRequestToken: _, ...rest }) => rest),
  },
  {
    name: "answers a known token whatever comes with it",
    area: "TransactWriteItems rejects the token",
    wrap: replacing("TransactWriteItems", () => {
      const known = new Set<string>();
      return async (input, send) => {
        if (input.ClientRequestToken !== undefined && known.has(input.ClientRequestToken)) return {};
        const output = await send(input);
        if (input.ClientRequestToken !== undefined) known.add(input.ClientRequestToken);
        return output;
      };
    }),
  },
  {
    name: "splits a transaction that is too long",
    area: "TransactWriteItems rejects 101",
    wrap: replacing("TransactWriteItems", () => async (input, send) => {
      const actions = input.TransactItems ?? [];
      if (actions.length <= 100) return send(input);
      await send({ ...input, TransactItems: actions.slice(0, 100) });
      return send({ ...input, TransactItems: actions.slice(100) });
    }),
  },
  {
    name: "leaves absent items out of a transactional read",
    area: "TransactGetItems returns",
    wrap: changingOutput("TransactGetItems", (output) => ({
      ...output,
      Responses: output.Responses?.filter((response) => response.Item !== undefined),
    })),
  },
  {
    name: "reads the items of a transactional read backwards",
    area: "TransactGetItems returns",
    wrap: changingOutput("TransactGetItems", (output) => ({
      ...output,
      Responses: output.Responses?.toReversed(),
    })),
  },
];
