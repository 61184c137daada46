import { type BatchWriteEntry, batchWriteStream, type KeyNames, scanPages } from "@tablekeep/client";
import type { Clock, DynamoPort, Item } from "@tablekeep/core";
import { InvalidItemError, parseItem, wireItem } from "../../json/dynamodb-json.ts";
import { portWithTurns } from "../backend/port-with-turns.ts";
import { type ApiRoute, HttpError, streamSignal } from "../http/http-route.ts";
import { count, jsonAnswer, objectOf, queryParameter } from "../http/openapi.ts";
import { queryNumber, readBody } from "../http/requests.ts";
import { contentDisposition, sendJson } from "../http/responses.ts";
import { sendPieces } from "../http/send-pieces.ts";
import { readOnlyAnswer } from "./read-only-answer.ts";
import type { TableFacts } from "./table-facts.ts";
import { base, describedTable, tableParameter, tags } from "./table-request.ts";
import type { TableRights } from "./table-rights.ts";
import { putWithUndo } from "./undo/put-with-undo.ts";
import { requestUndo, type UndoPlace, undoAnswer, undoMember, undoParameter } from "./undo/undo-route.ts";

const lines = { "application/x-ndjson": {} };
/** The maximum bytes of one import; a longer file is sent in parts. */
const maxImportBytes = 16 * 1024 * 1024;
/** The deadline of one page of an export, and of the writes of an import, in milliseconds. */
const [pageMs, importMs] = [60_000, 60_000];

/** Exports and imports the items of a table, one per line: `{"Item":{…}}`, as DynamoDB exports to S3. */
export function transferRoutes(
  port: DynamoPort,
  rights: TableRights,
  { clock, undo }: { readonly clock: Clock; readonly undo: UndoPlace },
): ApiRoute[] {
  return [exportItems(port, clock), importItems(port, rights, undo)];
}

function exportItems(port: DynamoPort, clock: Clock): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:table/export`,
    access: "users",
    describe: {
      operationId: "exportItems",
      summary: "Streams all items of a table, one per line.",
      tags,
      parameters: [tableParameter],
      responses: {
        200: { description: "The items. The connection is cut if reading fails.", content: lines },
      },
    },
    async handle(exchange) {
      const { name } = await describedTable(exchange, port);
      const signal = streamSignal(exchange);
      const headers = {
        "content-type": "application/x-ndjson",
        "content-disposition": contentDisposition("attachment", `${name}.jsonl`),
      };
      await sendPieces(exchange, exportedLines(port, name, signal), { headers, clock });
    },
  };
}

/** One page of items at a time. */
async function* exportedLines(
  port: DynamoPort,
  TableName: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const input = { TableName, ConsistentRead: true };
  for await (const { Items = [] } of scanPages(portWithTurns(port), input, { signal, deadlineMs: pageMs }))
    if (Items.length > 0) yield Items.map((item) => `${JSON.stringify({ Item: wireItem(item) })}\n`).join("");
}

function importItems(port: DynamoPort, rights: TableRights, undo: UndoPlace): ApiRoute {
  return {
    method: "POST",
    path: `${base}/:table/import`,
    access: "users",
    describe: {
      operationId: "importItems",
      summary: "Stores items, one per line, and replaces those with the same keys.",
      tags,
      parameters: [
        tableParameter,
        queryParameter(
          "firstLine",
          "The number of the first line, for messages, where a file is sent in parts.",
          {
            ...count,
            default: 1,
          },
        ),
        undoParameter,
      ],
      requestBody: { required: true, content: lines },
      responses: {
        200: jsonAnswer("How many items are stored.", objectOf({ items: count, undo: undoMember })),
        ...readOnlyAnswer,
        ...undoAnswer,
      },
    },
    async handle(exchange) {
      const facts = await describedTable(exchange, port);
      await rights.check(facts, exchange.signal);
      const firstLine = queryNumber(exchange, "firstLine", { fallback: 1 });
      const items = parseLines(await readBody(exchange.request, maxImportBytes), facts, firstLine);
      const kept = requestUndo(undo, exchange, facts.name, exchange.query.get("undo"));
      if (kept === undefined) await storeItems(port, facts, items, exchange.stopping);
      else await putWithUndo(port, facts, items, { ...kept, signal: exchange.stopping });
      const undoable = items.length > 0 && kept && { undo: kept.id };
      sendJson(exchange.response, 200, { items: items.length, ...undoable });
    },
  };
}

/** The items of all lines. Nothing is stored if one of them is invalid. */
function parseLines(body: Buffer, facts: TableFacts, firstLine: number): Item[] {
  const items: Item[] = [];
  for (const [at, line] of decoded(body).split("\n").entries()) {
    if (line.trim() === "") continue;
    const where = `line ${firstLine + at}`;
    const item = parseLine(line, where);
    for (const { name, type } of keysOf(facts))
      if (item[name]?.[type] === undefined)
        throw new HttpError(400, `${where}: the key attribute ${name} of type ${type} is missing`);
    items.push(item);
  }
  return items;
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new HttpError(400, "the body must be UTF-8");
  }
}

function parseLine(line: string, where: string): Item {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new HttpError(400, `${where}: invalid JSON`);
  }
  const item: unknown = (value as { readonly Item?: unknown } | null)?.Item;
  if (item === undefined) throw new HttpError(400, `${where}: must be {"Item":{…}} in DynamoDB JSON`);
  try {
    return parseItem(item);
  } catch (error) {
    if (error instanceof InvalidItemError) throw new HttpError(400, `${where}: ${error.message}`);
    throw error;
  }
}

async function storeItems(
  port: DynamoPort,
  facts: TableFacts,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<void> {
  const table = facts.name;
  const keyNames = { [table]: keysOf(facts).map(({ name }) => name) as unknown as KeyNames };
  const entries = items.map((put): BatchWriteEntry => ({ table, put }));
  const written = batchWriteStream(port, entries, { parallel: 4, keyNames, signal, deadlineMs: importMs });
  for await (const _ of written);
}

function keysOf({ partition, sort }: TableFacts) {
  return sort === undefined ? [partition] : [partition, sort];
}
