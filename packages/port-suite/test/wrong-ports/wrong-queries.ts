import type { AttributeValue, Item, QueryOutput } from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort, withoutExpression } from "./wrong-port.ts";

/** The page in another order of one attribute, where all items have it. */
function sortedBy(
  output: QueryOutput,
  attribute: string,
  compare: (one: AttributeValue, two: AttributeValue) => number,
): QueryOutput {
  const Items = output.Items ?? [];
  const values = new Map(
    Items.flatMap((item) => (item[attribute] ? [[item, item[attribute]] as const] : [])),
  );
  if (values.size < Items.length) return output;
  const none: AttributeValue = { NULL: true };
  return {
    ...output,
    Items: Items.toSorted((one, two) => compare(values.get(one) ?? none, values.get(two) ?? none)),
  };
}

const byText = (one = "", two = ""): number => (one < two ? -1 : one > two ? 1 : 0);

/** The members of `item` that are in `key`. */
const keyLike = (item: Item, key: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name in key));

/** Ports that are wrong in Query. */
export const wrongQueries: readonly WrongPort[] = [
  {
    name: "ignores Limit",
    area: "Query with Limit",
    wrap: changingInput("Query", ({ Limit: _, ...rest }) => rest),
  },
  {
    name: "forgets LastEvaluatedKey",
    area: "Query with Limit",
    wrap: changingOutput("Query", ({ LastEvaluatedKey: _, ...rest }) => rest),
  },
  {
    name: "loses the last item of a page that is cut",
    area: "Query with Limit",
    wrap: changingOutput("Query", (output) =>
      output.LastEvaluatedKey === undefined ? output : { ...output, Items: output.Items?.slice(0, -1) },
    ),
  },
  {
    name: "returns a LastEvaluatedKey that is one item early",
    area: "Query with Limit",
    wrap: changingOutput("Query", (output) => {
      const before = output.Items?.at(-2);
      if (output.LastEvaluatedKey === undefined || before === undefined) return output;
      return { ...output, LastEvaluatedKey: keyLike(before, output.LastEvaluatedKey) };
    }),
  },
  {
    name: "returns no LastEvaluatedKey where Limit ends on the last item",
    area: "Query returns a LastEvaluatedKey even",
    wrap: replacing("Query", () => async (input, send) => {
      const output = await send(input);
      if (output.LastEvaluatedKey === undefined) return output;
      const next = await send({ ...input, ExclusiveStartKey: output.LastEvaluatedKey });
      return next.ScannedCount === 0 ? { ...output, LastEvaluatedKey: undefined } : output;
    }),
  },
  {
    name: "begins every page at the start",
    area: "Query with Limit",
    wrap: changingInput("Query", ({ ExclusiveStartKey: _, ...rest }) => rest),
  },
  {
    name: "ignores ScanIndexForward",
    area: "Query orders ascending by default",
    wrap: changingInput("Query", ({ ScanIndexForward: _, ...rest }) => rest),
  },
  {
    name: "ignores the filter",
    area: "Query keeps",
    wrap: changingInput("Query", (input) => withoutExpression(input, "FilterExpression")),
  },
  {
    name: "counts only what the filter kept",
    area: "Query keeps",
    wrap: changingOutput("Query", (output) => ({ ...output, ScannedCount: output.Count })),
  },
  {
    name: "counts what the filter threw away",
    area: "Query keeps",
    wrap: changingOutput("Query", (output) => ({ ...output, Count: output.ScannedCount })),
  },
  {
    name: "applies Limit after the filter",
    area: "Query counts Limit",
    wrap: replacing("Query", () => async (input, send) => {
      if (input.FilterExpression === undefined || input.Limit === undefined) return send(input);
      const output = await send({ ...input, Limit: undefined });
      const Items = output.Items?.slice(0, input.Limit);
      return { ...output, Items, Count: Items?.length };
    }),
  },
  {
    name: "compares numbers as text",
    area: "Query orders numbers",
    wrap: changingOutput("Query", (output) => sortedBy(output, "n", (one, two) => byText(one.N, two.N))),
  },
  {
    name: "compares numbers as doubles",
    area: "Query orders numbers",
    wrap: replacing("Query", () => async (input, send) => {
      // A sort that treats equal doubles as equal may return the later of two near numbers first.
      const output = await send(input);
      const reversed = { ...output, Items: output.Items?.toReversed() };
      const sign = input.ScanIndexForward === false ? -1 : 1;
      return sortedBy(reversed, "n", (one, two) => sign * (Number(one.N) - Number(two.N)));
    }),
  },
  {
    name: "orders strings by UTF-16 code units",
    area: "Query orders strings",
    wrap: changingOutput("Query", (output) => sortedBy(output, "sk", (one, two) => byText(one.S, two.S))),
  },
  {
    name: "orders bytes as signed",
    area: "Query orders binary",
    wrap: changingOutput("Query", (output) =>
      sortedBy(output, "b", (one, two) =>
        new Int8Array(one.B ?? []).join() < new Int8Array(two.B ?? []).join() ? -1 : 1,
      ),
    ),
  },
  {
    name: "ignores the projection",
    area: "Query projects",
    wrap: changingInput("Query", (input) => withoutExpression(input, "ProjectionExpression")),
  },
  {
    name: "returns items where only a count was requested",
    area: "Query with Select COUNT",
    wrap: changingInput("Query", ({ Select, ...rest }) => (Select === "COUNT" ? rest : { ...rest, Select })),
  },
  {
    name: "accepts ConsistentRead on a global index",
    area: "A global index rejects",
    wrap: changingInput("Query", ({ ConsistentRead, ...rest }) =>
      rest.IndexName === undefined ? { ...rest, ConsistentRead } : rest,
    ),
  },
  {
    name: "has an index that never changes",
    area: "A global index follows",
    wrap: replacing("Query", () => {
      const first = new Map<string, QueryOutput>();
      return async (input, send) => {
        if (input.IndexName === undefined) return send(input);
        const place = JSON.stringify(input);
        const output = first.get(place) ?? (await send(input));
        first.set(place, output);
        return structuredClone(output);
      };
    }),
  },
  {
    name: "returns whole items from an index of keys",
    area: "A local index of KEYS_ONLY",
    wrap: changingInput("Query", (input) =>
      input.IndexName === "by-l-keys" && input.ProjectionExpression === undefined
        ? { ...input, Select: "ALL_ATTRIBUTES" }
        : input,
    ),
  },
];
