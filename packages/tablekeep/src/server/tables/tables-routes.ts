import type { DynamoPort, Key } from "@tablekeep/core";
import type { TableUse } from "@tablekeep/engine";
import { InvalidItemError, parseItem, wireItem } from "../../json/dynamodb-json.ts";
import { type ApiRoute, HttpError } from "../http/http-route.ts";
import {
  count,
  jsonAnswer,
  limitParameter,
  listOf,
  objectOf,
  queryParameter,
  text,
} from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { readItems } from "./items-page.ts";
import { filterComparisons, itemsInput, parseItemsRequest, sortComparisons } from "./items-request.ts";
import { tableChangeRoutes } from "./table-change-routes.ts";
import { base, describedTable, tableParameter, tags } from "./table-request.ts";
import type { TableRights } from "./table-rights.ts";
import type { UndoPlace } from "./undo/undo-route.ts";

const units = { type: "number", description: "Capacity units." };
const item = { type: "object", description: "DynamoDB JSON; bytes are base64." };

/** The use of a table since the server started. */
export interface TableUsed {
  /** By all parts of the server. */
  readonly used: TableUse;
  /** By this API. */
  readonly browsed: { readonly readUnits: number };
}

/** Dependencies of the routes of tables. */
export interface TablesRoutesOptions {
  readonly port: DynamoPort;
  readonly usedOf: (table: string) => TableUsed;
  readonly rights: TableRights;
  /** Whether the changes to all tables can be watched. */
  readonly isLive: boolean;
  readonly undo: UndoPlace;
}

/** The tables and their items, which can be changed unless they are read-only. */
export function tablesRoutes(options: TablesRoutesOptions): ApiRoute[] {
  const { port, rights, undo } = options;
  return [
    listTables(port),
    describeTable(options),
    queryItems(port),
    readItem(port),
    ...tableChangeRoutes(port, rights, undo),
  ];
}

function listTables(port: DynamoPort): ApiRoute {
  return {
    method: "GET",
    path: base,
    access: "users",
    describe: {
      operationId: "listTables",
      summary: "Lists the names of the tables.",
      tags,
      parameters: [limitParameter(100, 100), queryParameter("after", "The next of the previous page.", text)],
      responses: {
        200: jsonAnswer(
          "One page. next is present if there are more.",
          objectOf({ tables: listOf(text), next: text }),
        ),
      },
    },
    async handle(exchange) {
      const { query, response, signal } = exchange;
      const Limit = queryNumber(exchange, "limit", { min: 1, max: 100, fallback: 100 });
      const ExclusiveStartTableName = query.get("after") || undefined;
      const page = await port.listTables({ Limit, ExclusiveStartTableName }, { signal });
      sendJson(response, 200, { tables: page.TableNames ?? [], next: page.LastEvaluatedTableName });
    },
  };
}

const keyAttribute = objectOf({ name: text, type: { enum: ["S", "N", "B"] } });
const keys = { partition: keyAttribute, sort: keyAttribute };
const size = { status: text, itemCount: count, sizeBytes: count };
const index = objectOf({
  name: text,
  kind: { enum: ["global", "local"] },
  ...keys,
  ...size,
  projection: { description: "all, keys, or the names of the attributes beside the keys." },
});
const tableSchema = objectOf({
  name: text,
  ...keys,
  ...size,
  billing: { enum: ["on-demand", "provisioned"] },
  indexes: listOf(index),
  live: { const: true, description: "Its changes can be followed without a stream." },
  stream: { ...text, description: "What its stream contains; absent without a stream." },
  undo: {
    const: true,
    description: "Imports, statements, changes to settings and its deletion can be undone.",
  },
  readOnly: { const: true, description: "It cannot be changed here." },
  reason: { ...text, description: "Why it cannot." },
  used: {
    ...objectOf({ requests: count, failures: count, readUnits: units, writeUnits: units }),
    description:
      "Requests to the server since it started, and the capacity units that DynamoDB reports for them or, in a folder, would report.",
  },
  browsed: { ...objectOf({ readUnits: units }), description: "The share of this API." },
});

function describeTable({ port, usedOf, rights, isLive, undo: { engine } }: TablesRoutesOptions): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:table`,
    access: "users",
    describe: {
      operationId: "describeTable",
      summary: "Returns keys, indexes, size and use of a table.",
      tags,
      parameters: [tableParameter],
      responses: { 200: jsonAnswer("The table.", tableSchema) },
    },
    async handle(exchange) {
      const facts = await describedTable(exchange, port);
      const reason = await rights.reason(facts, exchange.signal);
      const readOnly = reason === undefined ? {} : { readOnly: true, reason };
      const live = isLive && { live: true };
      const undo = engine !== undefined && { undo: true };
      sendJson(exchange.response, 200, { ...facts, ...usedOf(facts.name), ...readOnly, ...live, ...undo });
    },
  };
}

const itemsParameters = [
  queryParameter("index", "The index to read.", text),
  queryParameter(
    "partition",
    "The partition to query, bytes as base64. Without it the table is scanned.",
    text,
  ),
  queryParameter("sort", "The value to compare the sort key with.", text),
  queryParameter("sortIs", "The comparison.", { enum: sortComparisons, default: "=" }),
  queryParameter("sortTo", "The upper bound of between.", text),
  {
    ...queryParameter(
      "filter",
      `A JSON object such as {"path":["total"],"is":">","value":{"N":"5"}}; is: ${filterComparisons.join(" ")}. All filters must match.`,
      listOf(text),
    ),
    explode: true,
  },
  limitParameter(1000, 50),
  queryParameter("cursor", "The next of the previous page.", text),
  queryParameter("consistent", "Read strongly consistent.", { enum: ["false", "true"], default: "false" }),
  queryParameter("order", "The order of the sort key.", { enum: ["asc", "desc"], default: "asc" }),
];

function queryItems(port: DynamoPort): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:table/items`,
    access: "users",
    describe: {
      operationId: "readItems",
      summary: "Returns items of a table or an index, by query or scan.",
      tags,
      parameters: [tableParameter, ...itemsParameters],
      responses: {
        200: jsonAnswer(
          "One page. next is present if there may be more.",
          objectOf({ items: listOf(item), scanned: count, readUnits: units, next: text }),
        ),
      },
    },
    async handle(exchange) {
      const request = parseItemsRequest(exchange);
      const input = itemsInput(await describedTable(exchange, port), request);
      const page = await readItems(port, input, { ...request, signal: exchange.signal });
      sendJson(exchange.response, 200, { ...page, items: page.items.map(wireItem) });
    },
  };
}

function readItem(port: DynamoPort): ApiRoute {
  const keyParameter = queryParameter("key", 'The key in DynamoDB JSON, such as {"id":{"S":"1"}}.', text);
  return {
    method: "GET",
    path: `${base}/:table/item`,
    access: "users",
    describe: {
      operationId: "readItem",
      summary: "Returns one item.",
      tags,
      parameters: [tableParameter, { ...keyParameter, required: true }],
      responses: { 200: jsonAnswer("The item.", objectOf({ item, readUnits: units })) },
    },
    async handle(exchange) {
      const { response, signal, query } = exchange;
      const { name, partition, sort } = await describedTable(exchange, port);
      const key = parseKey(query.get("key") ?? "");
      const wanted = sort === undefined ? [partition.name] : [partition.name, sort.name];
      if (Object.keys(key).length !== wanted.length || !wanted.every((each) => Object.hasOwn(key, each)))
        throw new HttpError(400, `key must have exactly these attributes: ${wanted.join(", ")}`);
      const found = await port.getItem(
        { TableName: name, Key: key, ConsistentRead: true, ReturnConsumedCapacity: "TOTAL" },
        { signal },
      );
      if (found.Item === undefined) throw new HttpError(404, "no such item");
      const readUnits = found.ConsumedCapacity?.CapacityUnits ?? 0;
      sendJson(response, 200, { item: wireItem(found.Item), readUnits });
    },
  };
}

function parseKey(json: string): Key {
  try {
    return parseItem(JSON.parse(json));
  } catch (error) {
    if (error instanceof InvalidItemError) throw new HttpError(400, error.message);
    throw new HttpError(400, 'key must be DynamoDB JSON, such as {"id":{"S":"1"}}');
  }
}
