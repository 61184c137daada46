import { metered } from "@tablekeep/client";
import { type DynamoPort, isDynamoError, type Key } from "@tablekeep/core";
import { InvalidItemError, parseItem, wireItem } from "../../json/dynamodb-json.ts";
import type { Backend } from "../backend/open-backend.ts";
import type { TableCounts } from "../backend/table-use.ts";
import { HttpError, type HttpExchange, type HttpRoute } from "../http/http-route.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import type { ServerPart } from "../server-part.ts";
import { itemsInput, parseItemsRequest } from "./items-query.ts";
import { readItems } from "./read-items.ts";
import { type TableFacts, tableFacts } from "./table-facts.ts";
import { tablesOperations } from "./tables-operations.ts";

const base = "/api/v3/tables";

/** The use of a table since the server started. */
interface TableUsed {
  /** By all parts of the server. */
  readonly used: TableCounts;
  /** By this API. */
  readonly browsed: { readonly readUnits: number };
}

/** The tables, read-only: data of stores is changed through the stores. */
export function tablesRoutes(port: DynamoPort, usedOf: (table: string) => TableUsed): HttpRoute[] {
  return [
    {
      method: "GET",
      path: base,
      describe: tablesOperations.listTables,
      handle: (exchange) => sendTables(exchange, port),
    },
    {
      method: "GET",
      path: `${base}/:table`,
      describe: tablesOperations.describeTable,
      async handle(exchange) {
        const facts = await describe(exchange, port);
        sendJson(exchange.response, 200, { ...facts, ...usedOf(facts.name) });
      },
    },
    {
      method: "GET",
      path: `${base}/:table/items`,
      describe: tablesOperations.readItems,
      async handle(exchange) {
        const request = parseItemsRequest(exchange);
        const asked = itemsInput(await describe(exchange, port), request);
        const page = await readItems(port, asked, { ...request, signal: exchange.signal });
        sendJson(exchange.response, 200, { ...page, items: page.items.map(wireItem) });
      },
    },
    {
      method: "GET",
      path: `${base}/:table/item`,
      describe: tablesOperations.readItem,
      handle: (exchange) => sendItem(exchange, port),
    },
  ];
}

async function sendTables(exchange: HttpExchange, port: DynamoPort): Promise<void> {
  const { query, response, signal } = exchange;
  const Limit = queryNumber(exchange, "limit", { min: 1, max: 100, fallback: 100 });
  const ExclusiveStartTableName = query.get("after") || undefined;
  const page = await port.listTables({ Limit, ExclusiveStartTableName }, { signal });
  sendJson(response, 200, { tables: page.TableNames ?? [], next: page.LastEvaluatedTableName });
}

async function describe({ params, signal }: HttpExchange, port: DynamoPort): Promise<TableFacts> {
  try {
    const { Table } = await port.describeTable({ TableName: params["table"] ?? "" }, { signal });
    if (Table !== undefined) return tableFacts(Table);
  } catch (error) {
    if (!isDynamoError(error) || error.kind !== "not-found") throw error;
  }
  throw new HttpError(404, "no such table");
}

async function sendItem(exchange: HttpExchange, port: DynamoPort): Promise<void> {
  const { response, signal, query } = exchange;
  const { name, partition, sort } = await describe(exchange, port);
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
}

function parseKey(text: string): Key {
  try {
    return parseItem(JSON.parse(text));
  } catch (error) {
    if (error instanceof InvalidItemError) throw new HttpError(400, error.message);
    throw new HttpError(400, 'key is one in DynamoDB\'s JSON, as {"id":{"S":"1"}}');
  }
}

/** All tables of the backend over HTTP. */
export function tablesPart(backend: Backend): ServerPart {
  const { port, meter } = metered(backend.port);
  const usedOf = (table: string): TableUsed => {
    const { requests = 0, failures = 0, readUnits, writeUnits } = backend.use()[table] ?? {};
    const browsed = { readUnits: meter.snapshot().byTable[table]?.readUnits ?? 0 };
    return { used: { requests, failures, readUnits, writeUnits }, browsed };
  };
  return {
    groups: [{ access: "users", routes: tablesRoutes(port, usedOf) }],
  };
}
