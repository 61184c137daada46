import type { AttributeValue, GetItemOutput, Item } from "@tablekeep/core";
import { changingInput, changingOutput, replacing, type WrongPort } from "./wrong-port.ts";

/** The item with each of its top-level values changed; one that becomes undefined is left out. */
function changed(
  item: Item | undefined,
  change: (value: AttributeValue) => AttributeValue | undefined,
): Item {
  const entries = Object.entries(item ?? {}).map(([name, value]) => [name, change(value)] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined),
  );
}

const puttingWith = (change: (value: AttributeValue) => AttributeValue | undefined): WrongPort["wrap"] =>
  changingInput("PutItem", (input) => ({ ...input, Item: changed(input.Item, change) }));

/** Ports that change values on their way. */
export const wrongValues: readonly WrongPort[] = [
  {
    name: "drops empty texts",
    area: "PutItem stores",
    wrap: puttingWith((value) => (value.S === "" ? undefined : value)),
  },
  {
    name: "trims texts",
    area: "PutItem stores",
    wrap: puttingWith((value) => (value.S === undefined ? value : { S: value.S.trim() })),
  },
  {
    name: "loses the high bit of bytes",
    area: "PutItem stores",
    wrap: puttingWith((value) => (value.B === undefined ? value : { B: value.B.map((byte) => byte & 0x7f) })),
  },
  {
    name: "rounds numbers through a double",
    area: "SET computes",
    wrap: puttingWith((value) =>
      value.N === undefined || !Number.isFinite(Number(value.N)) ? value : { N: String(Number(value.N)) },
    ),
  },
  {
    name: "upper-cases keys",
    area: "PutItem stores",
    wrap: changingInput("PutItem", (input) => {
      const pk = input.Item?.["pk"];
      return pk?.S === undefined
        ? input
        : { ...input, Item: { ...input.Item, pk: { S: pk.S.toUpperCase() } } };
    }),
  },
  {
    name: "returns sets as lists",
    area: "BatchWriteItem keeps",
    wrap: changingOutput("GetItem", (output) => ({
      ...output,
      ...(output.Item && {
        Item: changed(output.Item, (value) =>
          value.SS === undefined ? value : { L: value.SS.map((text) => ({ S: text })) },
        ),
      }),
    })),
  },
  {
    name: "returns an empty item where there is none",
    area: "GetItem of an absent",
    wrap: changingOutput("GetItem", (output) => ({ ...output, Item: output.Item ?? {} })),
  },
  {
    name: "returns what it read first, forever",
    area: "GetItem with ConsistentRead sees",
    wrap: replacing("GetItem", () => {
      const first = new Map<string, GetItemOutput>();
      return async (input, send) => {
        const place = JSON.stringify([input.TableName, input.Key]);
        const output = first.get(place) ?? (await send(input));
        first.set(place, output);
        return structuredClone(output);
      };
    }),
  },
];
