import { decodePageCursor, encodePageCursor, queryItems } from "@tablekeep/client";
import {
  type Item,
  type Key,
  type OptionChecks,
  optionCheck,
  type QueryInput,
  type ScanInput,
} from "@tablekeep/core";
import { callOptionChecks } from "../model/call-options.ts";
import { checkOptions, isShadowError, optionInvalid, type RowKind } from "../model/shadow-error.ts";
import { partitionOf, rowIdOf, rowPrefixes } from "../rows/row-keys.ts";
import { readRow } from "../rows/stored-row.ts";
import { fetchRows } from "./fetch-rows.ts";
import type { ListedRow, ListOptions, ListPage } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

/** The checks of {@link ListOptions}. */
const listChecks: OptionChecks<ListOptions> = {
  ...callOptionChecks,
  id: optionCheck.string,
  kind: optionCheck.oneOf("combined", "reported", "desired"),
  limit: optionCheck.integer(1),
  token: optionCheck.string,
};

const attributes = ["PK", "SK", "Version", "TimeStamp", "ClientToken"];
const projection = {
  ProjectionExpression: attributes.map((name) => `#${name}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
};

/** One page of the items of a thing, or of all things. */
export async function listShadows(call: StoreCall, options: ListOptions): Promise<ListPage> {
  checkOptions(options, listChecks);
  const limit = options.limit ?? call.options.maxReadBatchSize;
  if (options.kind !== undefined && options.id === undefined) throw optionInvalid("kind", "requires id");
  const input = options.id === undefined ? scanInput(call) : queryInput(call, options.id, options.kind);
  let start: Key | undefined =
    options.token === undefined ? undefined : decodePageCursor(input, options.token);
  const items: Item[] = [];
  const halfTimeMs = call.leftMs() / 2;
  do {
    const page = await readPage(call, input, start, limit);
    for (const item of page.Items ?? []) if (rowIdOf(item) !== undefined) items.push(item);
    start = page.LastEvaluatedKey;
    // A page without shadows is not the end. If the deadline passes among many foreign rows, the token continues there.
  } while (start !== undefined && items.length < limit && call.leftMs() > halfTimeMs);
  const shown = items.slice(0, limit);
  const last = shown.length < items.length || start !== undefined ? endOf(shown, items, start) : undefined;
  return {
    rows: await listedRows(call, shown),
    ...(last !== undefined && { token: encodePageCursor(input, last) }),
  };
}

/** Where the next page begins: after the last row returned, or where reading stopped. */
function endOf(shown: readonly Item[], items: readonly Item[], start: Key | undefined): Key | undefined {
  if (shown.length === items.length) return start;
  const { PK, SK } = shown.at(-1) ?? {};
  return PK === undefined || SK === undefined ? undefined : { PK, SK };
}

/** The names of a thing's shadows that exist in both models. */
export async function findDuplicates(call: StoreCall, id: string): Promise<string[]> {
  const combined = new Set<string>();
  const halves = new Set<string>();
  for await (const item of queryItems(call.port, queryInput(call, id), call.request())) {
    const row = rowIdOf(item);
    if (row !== undefined) (row.kind === "combined" ? combined : halves).add(row.name);
  }
  return [...combined].filter((name) => halves.has(name));
}

function queryInput(call: StoreCall, id: string, kind?: RowKind): QueryInput {
  return {
    TableName: call.options.table,
    KeyConditionExpression: kind === undefined ? "#PK = :id" : "#PK = :id AND begins_with(#SK, :kind)",
    ExpressionAttributeValues: {
      ":id": { S: partitionOf(id) },
      ...(kind !== undefined && { ":kind": { S: rowPrefixes[kind] } }),
    },
    ConsistentRead: true,
    ...projection,
  };
}

function scanInput(call: StoreCall): ScanInput {
  return { TableName: call.options.table, ConsistentRead: true, ...projection };
}

function readPage(call: StoreCall, input: QueryInput | ScanInput, start: Key | undefined, limit: number) {
  const { clock: _clock, random: _random, ...request } = call.request();
  const params = { ...input, Limit: limit, ...(start !== undefined && { ExclusiveStartKey: start }) };
  return "KeyConditionExpression" in params
    ? call.port.query(params, request)
    : call.port.scan(params, request);
}

/** The rows of a list. Names in another case are not in the projection: such items are read completely. */
async function listedRows(call: StoreCall, items: readonly Item[]): Promise<ListedRow[]> {
  const odd = items.filter((item) => attributes.some((name) => item[name] === undefined));
  const fetched = await fetchRows(
    call,
    odd.flatMap((item) => rowIdOf(item) ?? []),
  );
  return items.flatMap((item) => {
    const row = rowIdOf(item);
    if (row === undefined) return [];
    const whole = odd.includes(item) ? fetched(row) : { item };
    if ("error" in whole) throw whole.error;
    // Deleted since the page was read.
    if (whole.item === undefined) return [];
    return listedRow(call, whole.item);
  });
}

/** A corrupt row is skipped, so that the others can be listed. */
function listedRow(call: StoreCall, item: Item): ListedRow[] {
  try {
    const { kind, id, name, version, timeStamp, clientToken } = readRow(item);
    return [{ kind, id, name, version, timeStamp, clientToken }];
  } catch (error) {
    if (!isShadowError(error, "SHADOW_ITEM_CORRUPT") && !isShadowError(error, "SHADOW_VERSION_UNSAFE"))
      throw error;
    const { id, name } = error.details;
    call.options.logger.warn("skipped a corrupt item in a list of shadows", { id, name, error });
    return [];
  }
}
