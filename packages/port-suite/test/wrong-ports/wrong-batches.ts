import type { BatchWriteItemInput, WriteRequest } from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort } from "./wrong-port.ts";

/** The requests of each table changed. */
function requests(
  input: BatchWriteItemInput,
  change: (requests: WriteRequest[]) => WriteRequest[],
): BatchWriteItemInput {
  const tables = Object.entries(input.RequestItems ?? {}).map(
    ([table, all]) => [table, change(all)] as const,
  );
  return { ...input, RequestItems: Object.fromEntries(tables) };
}

const placeOf = ({ PutRequest, DeleteRequest }: WriteRequest): string => {
  const { pk, sk, n } = PutRequest?.Item ?? DeleteRequest?.Key ?? {};
  return JSON.stringify([pk, sk, n]);
};

/** Ports that are wrong in batches. */
export const wrongBatches: readonly WrongPort[] = [
  {
    name: "loses the last write of a batch",
    area: "BatchWriteItem accepts 25",
    wrap: changingInput("BatchWriteItem", (input) =>
      requests(input, (all) => (all.length > 1 ? all.slice(0, -1) : all)),
    ),
  },
  {
    name: "drops the deletes of a batch",
    area: "BatchWriteItem puts and deletes",
    wrap: changingInput("BatchWriteItem", (input) =>
      requests(input, (all) => all.filter((each) => each.PutRequest !== undefined || all.length === 1)),
    ),
  },
  {
    name: "writes the last of two requests for one item",
    area: "BatchWriteItem rejects two puts",
    wrap: changingInput("BatchWriteItem", (input) =>
      requests(input, (all) => [...new Map(all.map((each) => [placeOf(each), each])).values()]),
    ),
  },
  {
    name: "accepts batches of any length",
    area: "BatchWriteItem rejects 26",
    wrap: replacing("BatchWriteItem", () => async (input, send) => {
      const longest = Math.max(...Object.values(input.RequestItems ?? {}).map((all) => all.length));
      if (longest <= 25) return send(input);
      await send(requests(input, (all) => all.slice(0, 25)));
      return send(requests(input, (all) => all.slice(25)));
    }),
  },
  {
    name: "loses one unprocessed key",
    area: "BatchGetItem of more than 16 MB",
    wrap: changingOutput("BatchGetItem", (output) => {
      const left = Object.entries(output.UnprocessedKeys ?? {}).map(([table, { Keys, ...rest }]) => {
        return [table, { ...rest, Keys: Keys?.slice(1) }] as const;
      });
      return { ...output, UnprocessedKeys: Object.fromEntries(left) };
    }),
  },
  {
    name: "leaves out tables without items",
    area: "BatchGetItem of absent items",
    wrap: changingOutput("BatchGetItem", (output) => {
      const full = Object.entries(output.Responses ?? {}).filter(([, items]) => items.length > 0);
      return { ...output, Responses: Object.fromEntries(full) };
    }),
  },
  {
    name: "returns the items of all tables under one",
    area: "BatchGetItem reads several tables",
    wrap: changingOutput("BatchGetItem", (output) => {
      const [first] = Object.keys(output.Responses ?? {});
      const items = Object.values(output.Responses ?? {}).flat();
      return first === undefined ? output : { ...output, Responses: { [first]: items } };
    }),
  },
  {
    name: "ignores the projection of a batch",
    area: "BatchGetItem projects",
    wrap: changingInput("BatchGetItem", (input) => {
      const tables = Object.entries(input.RequestItems ?? {}).map(([table, { Keys, ConsistentRead }]) => {
        return [table, { Keys, ConsistentRead }] as const;
      });
      return { ...input, RequestItems: Object.fromEntries(tables) };
    }),
  },
];
