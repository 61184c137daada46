import { jsonAnswer, type OpenApiOperation, pathParameter, queryParameter } from "../http/openapi.ts";
import { filterComparisons, sortComparisons } from "./items-query.ts";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const units = { type: "number", description: "Capacity units." };
const listOf = (items: object): object => ({ type: "array", items });
const table = pathParameter("table", "The table's name.");
const item = { type: "object", description: "In DynamoDB's JSON: bytes are base64." };
const keyAttribute = { type: "object", properties: { name: text, type: { enum: ["S", "N", "B"] } } };
const keys = { partition: keyAttribute, sort: keyAttribute };
const size = { status: text, itemCount: count, sizeBytes: count };
const index = {
  type: "object",
  properties: {
    name: text,
    kind: { enum: ["global", "local"] },
    ...keys,
    ...size,
    projection: { description: "all, keys, or the names of what it holds beside the keys." },
  },
};
const used = {
  type: "object",
  description: "What the server asked of it since it started; capacity units only where they are paid for.",
  properties: { requests: count, failures: count, readUnits: units, writeUnits: units },
};
const browsed = {
  type: "object",
  description: "What this API took of it since then.",
  properties: { readUnits: units },
};
const limited = (maximum: number, usual: number): object =>
  queryParameter("limit", "Maximum number of results.", {
    type: "integer",
    minimum: 1,
    maximum,
    default: usual,
  });

function operation(operationId: string, summary: string, rest: Partial<OpenApiOperation>): OpenApiOperation {
  return { operationId, summary, tags: ["tables"], responses: {}, ...rest };
}

const itemsParameters = [
  queryParameter("index", "The index to read.", text),
  queryParameter(
    "partition",
    "The partition to query; all items by a scan without it. Bytes as base64.",
    text,
  ),
  queryParameter("sort", "What the sort key is compared with.", text),
  queryParameter("sortIs", "How it is compared.", { enum: sortComparisons, default: "=" }),
  queryParameter("sortTo", "The other end of between.", text),
  {
    ...queryParameter(
      "filter",
      `A JSON object, as {"path":["total"],"is":">","value":{"N":"5"}}; is: ${filterComparisons.join(" ")}. All must match.`,
      listOf(text),
    ),
    explode: true,
  },
  limited(1000, 50),
  queryParameter("cursor", "The next of the page before.", text),
  queryParameter("consistent", "Whether to see every write that has ended.", {
    enum: ["false", "true"],
    default: "false",
  }),
  queryParameter("order", "By the sort key.", { enum: ["asc", "desc"], default: "asc" }),
];

/** The operations of the tables API, for the OpenAPI document. */
export const tablesOperations: Readonly<Record<TablesOperation, OpenApiOperation>> = {
  listTables: operation("listTables", "The names of the tables.", {
    parameters: [limited(100, 100), queryParameter("after", "The next of the page before.", text)],
    responses: {
      200: jsonAnswer("One page; next is there if there are more.", {
        type: "object",
        properties: { tables: listOf(text), next: text },
      }),
    },
  }),
  describeTable: operation("describeTable", "Keys, indexes, size and use of a table.", {
    parameters: [table],
    responses: {
      200: jsonAnswer("The table.", {
        type: "object",
        properties: {
          name: text,
          ...keys,
          ...size,
          billing: { enum: ["on-demand", "provisioned"] },
          indexes: listOf(index),
          used,
          browsed,
        },
      }),
    },
  }),
  readItems: operation("readItems", "Items of a table or an index, by query or scan.", {
    parameters: [table, ...itemsParameters],
    responses: {
      200: jsonAnswer("One page; next is there if there may be more.", {
        type: "object",
        properties: { items: listOf(item), scanned: count, readUnits: units, next: text },
      }),
    },
  }),
  readItem: operation("readItem", "One item.", {
    parameters: [
      table,
      { ...queryParameter("key", 'In DynamoDB\'s JSON, as {"id":{"S":"1"}}.', text), required: true },
    ],
    responses: {
      200: jsonAnswer("The item.", { type: "object", properties: { item, readUnits: units } }),
    },
  }),
};

type TablesOperation = "listTables" | "describeTable" | "readItems" | "readItem";
