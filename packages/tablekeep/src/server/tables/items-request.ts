import type { AttributeValue } from "@tablekeep/core";
import { ItemFault, parseItem } from "../../dynamodb-json/parse-item.ts";
import type { HttpExchange } from "../http/http-exchange.ts";
import { HttpRefusal } from "../http/http-refusal.ts";
import { queryNumber } from "../http/query-numbers.ts";

/** How the sort key of a query is compared. */
export const sortComparisons = ["=", "<", "<=", ">", ">=", "between", "begins_with"] as const;

/** How an attribute is compared by a filter. */
export const filterComparisons = [
  "=",
  "<>",
  "<",
  "<=",
  ">",
  ">=",
  "begins_with",
  "contains",
  "exists",
  "not_exists",
] as const;

/** One condition that items must fulfil to be shown. */
export interface ItemFilter {
  /** From the outside to the inside: names of attributes and members, numbers of list elements. */
  readonly path: readonly (string | number)[];
  readonly is: (typeof filterComparisons)[number];
  /** What to compare with; undefined for those that compare with nothing. */
  readonly value?: AttributeValue | undefined;
}

/** Which items to read. Keys are texts as they stand in the query: their types are the table's. */
export interface ItemsRequest {
  readonly index?: string | undefined;
  /** Reads one partition; all items by a scan without it. */
  readonly partition?: string | undefined;
  readonly sort?:
    | { readonly is: (typeof sortComparisons)[number]; readonly value: string; readonly to: string }
    | undefined;
  readonly filters: readonly ItemFilter[];
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly consistent: boolean;
  readonly descending: boolean;
}

const known = new Set([
  "index",
  "partition",
  "sort",
  "sortIs",
  "sortTo",
  "filter",
  "limit",
  "cursor",
  "consistent",
  "order",
]);

const maxFilters = 20;

/** What the query string asks for. Whatever is not understood is refused, so that nobody takes a scan for a query. */
export function parseItemsRequest(exchange: Pick<HttpExchange, "query">): ItemsRequest {
  const { query } = exchange;
  for (const name of query.keys()) {
    if (!known.has(name)) throw wrong(`there is no parameter ${JSON.stringify(name)}`);
  }
  const filters = query.getAll("filter").map(parseFilter);
  if (filters.length > maxFilters) throw wrong(`there are more than ${maxFilters} filters`);
  const partition = query.get("partition") ?? undefined;
  const sort = parseSort(query);
  if (sort !== undefined && partition === undefined) throw wrong("sort needs a partition");
  return {
    index: query.get("index") || undefined,
    partition,
    sort,
    filters,
    limit: queryNumber(exchange, "limit", { min: 1, max: 1000, usual: 50 }),
    cursor: query.get("cursor") || undefined,
    consistent: oneOf(query, "consistent", ["false", "true"]) === "true",
    descending: oneOf(query, "order", ["asc", "desc"]) === "desc",
  };
}

function oneOf<Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given = query.get(name) || choices[0];
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw wrong(`${name} must be one of ${choices.join(" ")}`);
  return found;
}

function parseSort(query: URLSearchParams): ItemsRequest["sort"] {
  const value = query.get("sort");
  if (value === null) return undefined;
  const is = oneOf(query, "sortIs", sortComparisons) ?? "=";
  const to = query.get("sortTo");
  if ((is === "between") !== (to !== null))
    throw wrong("sortTo belongs to sortIs=between, and is needed there");
  return { is, value, to: to ?? "" };
}

function parseFilter(text: string): ItemFilter {
  const { path, is, value, ...rest } = parseObject(text);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(`a filter has no field ${JSON.stringify(unknown)}`);
  const steps = Array.isArray(path) ? path : [];
  if (typeof steps[0] !== "string" || !steps.every(isStep))
    throw wrong("the path of a filter is a list that begins with the name of an attribute");
  const comparison = filterComparisons.find((each) => each === is);
  if (comparison === undefined) throw wrong(`is must be one of ${filterComparisons.join(" ")}`);
  const needsValue = comparison !== "exists" && comparison !== "not_exists";
  if (needsValue !== (value !== undefined))
    throw wrong(needsValue ? `${comparison} needs a value` : `${comparison} takes no value`);
  return { path: steps, is: comparison, value: needsValue ? parseValue(value) : undefined };
}

function isStep(step: unknown): step is string | number {
  return typeof step === "string" || (Number.isSafeInteger(step) && (step as number) >= 0);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // Said below, as for any other text that is none.
  }
  throw wrong('a filter is a JSON object, as {"path":["total"],"is":">","value":{"N":"5"}}');
}

function parseValue(value: unknown): AttributeValue | undefined {
  try {
    return parseItem({ value })["value"];
  } catch (error) {
    if (error instanceof ItemFault) throw wrong(error.message);
    throw error;
  }
}

function wrong(message: string): HttpRefusal {
  return new HttpRefusal(400, message);
}
