import type { AttributeValue, Item, Key } from "@tablekeep/core";
import type { DocumentObject, DocumentValue } from "@tablekeep/shadow";
import {
  isTypeName,
  itemOfDocument,
  parseItem,
  wireDescription,
  wireItem,
} from "../../json/dynamodb-json.ts";
import { type ItemsPage, readItems } from "../../server/tables/items-page.ts";
import {
  filterComparisons,
  type ItemsRequest,
  itemsInput,
  sortComparisons,
} from "../../server/tables/items-request.ts";
import type { TableFacts } from "../../server/tables/table-facts.ts";
import { CliError } from "../frame/cli-error.ts";
import { isJsonObject } from "../frame/json-argument.ts";
import { type OpenStore, openStore } from "../store/open-store.ts";
import { checked, factsOf, itemIn } from "../tables/item-arguments.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { limitOf, schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";

const table = schemas.text("Name of the table.");
const index = schemas.text("Name of an index to read instead of the table.");
const filters = {
  type: "array",
  maxItems: 20,
  description: 'Conditions that items must fulfill, such as {"path":["total"],"is":">","value":5}.',
  items: {
    type: "object",
    properties: {
      path: { type: "array", items: { type: ["string", "integer"] }, minItems: 1 },
      is: { enum: filterComparisons },
      value: {
        description: 'The value in plain JSON, such as "red", or in DynamoDB\'s JSON, such as {"S":"red"}.',
      },
    },
    required: ["path", "is"],
    additionalProperties: false,
  },
};

/** Opens the tables for one call. */
export async function withStore<Result>(
  { flags, io }: ToolCall,
  work: (store: OpenStore) => Promise<Result>,
): Promise<Result> {
  await using store = await openStore(flags, io);
  // Awaited, because the store is closed when this function returns.
  return await work(store);
}

/** The help of an argument that {@link itemOf} parses. */
export function itemSchema(what: string): object {
  return schemas.object(
    `${what} in plain JSON, such as {"id":"1"}, or in DynamoDB's JSON, such as {"id":{"S":"1"}}.`,
  );
}

/** Parses an item or a key, in plain JSON or in DynamoDB's, as on the command line. */
export function itemOf(args: ToolArguments, name: string, facts: TableFacts): Item {
  const document = args[name] as DocumentObject;
  checkDigits(document);
  return itemIn(document, facts);
}

/** Parses a value in plain JSON or in DynamoDB's: an object whose only member is named like a type. */
function filterValue(value: DocumentValue): AttributeValue | undefined {
  checkDigits(value);
  const [name, ...more] = isJsonObject(value) ? Object.keys(value) : [];
  const isTyped = name !== undefined && more.length === 0 && isTypeName(name);
  const item = isTyped ? checked(() => parseItem({ value })) : itemOfDocument({ value });
  return item["value"];
}

/** The arguments were parsed as JavaScript's numbers: a larger integer has already lost digits. */
function checkDigits(value: unknown): void {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new CliError(
      "CLI_VALUE_INVALID",
      'an integer above 9007199254740991 loses digits in plain JSON: pass it in DynamoDB\'s JSON, such as {"N":"9007199254740993"}',
    );
  if (typeof value === "object" && value !== null) for (const each of Object.values(value)) checkDigits(each);
}

const listTables: Tool = {
  name: "list_tables",
  description: "Lists the names of all tables.",
  input: { limit: schemas.limit, cursor: schemas.cursor },
  optional: ["limit", "cursor"],
  run: (args, call) =>
    withStore(call, async ({ port }) => {
      const { signal } = call.io;
      // A name has at most 255 characters, all of them one byte.
      const fitting = Math.floor(call.maxBytes / 258);
      const { TableNames = [], LastEvaluatedTableName: next } = await port.listTables(
        { Limit: Math.min(limitOf(args), 100, fitting), ExclusiveStartTableName: textOf(args, "cursor") },
        { signal },
      );
      return { tables: TableNames, ...(next !== undefined && { next }) };
    }),
};

const describeTable: Tool = {
  name: "describe_table",
  description: "Describes a table: its keys, indexes, stream, item count and size.",
  input: { table },
  run: (args, call) =>
    withStore(call, async ({ port }) => {
      const { signal } = call.io;
      const { Table } = await port.describeTable({ TableName: textOf(args, "table") ?? "" }, { signal });
      return { table: wireDescription(Table) };
    }),
};

const getItem: Tool = {
  name: "get_item",
  description: "Returns one item by its key, in DynamoDB's JSON; null if there is none.",
  input: {
    table,
    key: itemSchema("The key"),
  },
  run: (args, call) =>
    withStore(call, async ({ port }) => {
      const { maxBytes, io } = call;
      const TableName = textOf(args, "table") ?? "";
      const facts = await factsOf(port, TableName, io.signal);
      const request = { TableName, Key: itemOf(args, "key", facts), ConsistentRead: true };
      const { Item: found } = await port.getItem(request, { signal: io.signal });
      if (found === undefined) return { item: null };
      const { rows } = await boundedRows(single(wireItem(found)), { limit: 1, maxBytes });
      return { item: rows[0] };
    }),
};

async function* single(row: object): AsyncGenerator<Chunk> {
  yield { rows: [row] };
}

const queryItems: Tool = {
  name: "query_items",
  description:
    "Returns the items of one partition of a table or an index, in the order of the sort key. Keys are strings: numbers as digits, bytes as base64. next continues.",
  input: {
    table,
    index,
    partition: { type: "string", description: "Value of the partition key." },
    sort: {
      type: "object",
      description: 'Condition for the sort key, such as {"is":"begins_with","value":"2026-"}.',
      properties: { is: { enum: sortComparisons }, value: { type: "string" }, to: { type: "string" } },
      required: ["is", "value"],
      additionalProperties: false,
    },
    filters,
    descending: { type: "boolean", description: "Return the last items first." },
    limit: schemas.limit,
    cursor: schemas.cursor,
  },
  optional: ["index", "sort", "filters", "descending", "limit", "cursor"],
  run: (args, call) => readTable(args, call),
};

const scanItems: Tool = {
  name: "scan_items",
  description:
    "Returns items of a table or an index in no particular order. Reads the table: use query_items if you know the partition key. next continues.",
  input: { table, index, filters, limit: schemas.limit, cursor: schemas.cursor },
  optional: ["index", "filters", "limit", "cursor"],
  run: (args, call) => readTable(args, call),
};

function readTable(args: ToolArguments, call: ToolCall): Promise<object> {
  const { maxBytes, io } = call;
  const { signal } = io;
  const limit = limitOf(args);
  return withStore(call, async ({ port }) => {
    const facts = await factsOf(port, textOf(args, "table") ?? "", signal);
    const asked = checked(() => itemsInput(facts, requestOf(args, limit)));
    const page = await readItems(port, asked, { limit, cursor: textOf(args, "cursor"), signal });
    const { encodePageCursor } = await import("@tablekeep/client");
    const cursorAfter = (item: Item) =>
      encodePageCursor(asked.input, Object.fromEntries(asked.keys.map((name) => [name, item[name]])) as Key);
    const { rows, next = page.items.length === 0 ? page.next : undefined } = await boundedRows(
      itemChunks(page, cursorAfter),
      { limit, maxBytes },
    );
    return { items: rows, scanned: page.scanned, ...(next !== undefined && { next }) };
  });
}

async function* itemChunks(page: ItemsPage, cursorAfter: (item: Item) => string): AsyncGenerator<Chunk> {
  for (const [at, item] of page.items.entries()) {
    const isLast = at === page.items.length - 1;
    yield { rows: [wireItem(item)], next: isLast ? page.next : cursorAfter(item) };
  }
}

function requestOf(args: ToolArguments, limit: number): ItemsRequest {
  const sort = args["sort"] as
    | { is: (typeof sortComparisons)[number]; value: string; to?: string }
    | undefined;
  const given = (args["filters"] ?? []) as { path: (string | number)[]; is: string; value?: DocumentValue }[];
  if ((sort?.is === "between") !== (sort?.to !== undefined))
    throw new CliError("CLI_VALUE_INVALID", "sort.to is required with between, and allowed only there");
  return {
    index: textOf(args, "index"),
    partition: textOf(args, "partition"),
    ...(sort && { sort: { ...sort, to: sort.to ?? "" } }),
    filters: given.map(({ path, is, value }) => ({
      path,
      is: is as (typeof filterComparisons)[number],
      ...(value !== undefined && { value: filterValue(value) }),
    })),
    limit,
    cursor: textOf(args, "cursor"),
    consistent: false,
    descending: args["descending"] === true,
  };
}

/** Tools that read tables. */
export const tableTools: readonly Tool[] = [listTables, describeTable, getItem, queryItems, scanItems];
