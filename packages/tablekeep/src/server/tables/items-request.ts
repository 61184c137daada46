import type { AttributeValue, QueryInput, ScanInput } from "@tablekeep/core";
import { InvalidItemError, parseItem } from "../../json/dynamodb-json.ts";
import { HttpError, type HttpExchange } from "../http/http-route.ts";
import { queryNumber } from "../http/requests.ts";
import type { KeyFact, KeyFacts, TableFacts } from "./table-facts.ts";

/** The comparison of a query's sort key. */
export const sortComparisons = ["=", "<", "<=", ">", ">=", "between", "begins_with"] as const;

/** The comparison of an attribute by a filter. */
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

/** A condition that items must meet to be shown. */
interface ItemFilter {
  /** From the outside to the inside: names of attributes and members, indexes of list elements. */
  readonly path: readonly (string | number)[];
  readonly is: (typeof filterComparisons)[number];
  /** The value to compare with; undefined for comparisons without a value. */
  readonly value?: AttributeValue;
}

/** The items to read. Keys are strings from the query; the table determines their types. */
export interface ItemsRequest {
  readonly index?: string;
  /** Reads one partition; all items by a scan without it. */
  readonly partition?: string;
  readonly sort?: {
    readonly is: (typeof sortComparisons)[number];
    readonly value: string;
    readonly to: string;
  };
  readonly filters: readonly ItemFilter[];
  readonly limit: number;
  readonly cursor?: string;
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

/** Parses the query string. Unknown parameters are errors, so that a typo does not turn a query into a scan. */
export function parseItemsRequest(exchange: Pick<HttpExchange, "query">): ItemsRequest {
  const { query } = exchange;
  for (const name of query.keys()) {
    if (!known.has(name)) throw wrong(`unknown parameter ${JSON.stringify(name)}`);
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
    limit: queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 50 }),
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
    throw wrong("sortTo is required with sortIs=between, and allowed only there");
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
    // Falls through to the error below.
  }
  throw wrong('a filter is a JSON object, as {"path":["total"],"is":">","value":{"N":"5"}}');
}

function parseValue(value: unknown): AttributeValue | undefined {
  try {
    return parseItem({ value })["value"];
  } catch (error) {
    if (error instanceof InvalidItemError) throw wrong(error.message);
    throw error;
  }
}

function wrong(message: string): HttpError {
  return new HttpError(400, message);
}

/** The DynamoDB request to send: a query of one partition, or a scan. */
export type ItemsInput =
  | { readonly kind: "query"; readonly input: QueryInput; readonly keys: readonly string[] }
  | { readonly kind: "scan"; readonly input: ScanInput; readonly keys: readonly string[] };

/** The parameters of a request for this table. `keys` are the attributes that identify the position of an item. */
export function itemsInput(table: TableFacts, request: ItemsRequest): ItemsInput {
  const place = keysOf(table, request.index);
  const bound = new Placeholders();
  const filter = request.filters.map((each) => filterExpression(each, bound)).join(" AND ");
  const condition =
    request.partition === undefined ? undefined : keyCondition(place, request, request.partition, bound);
  const common = {
    TableName: table.name,
    IndexName: request.index,
    FilterExpression: filter === "" ? undefined : filter,
    ...bound.parameters(),
    ConsistentRead: request.consistent ? true : undefined,
    ReturnConsumedCapacity: "TOTAL" as const,
  };
  const keys = [...new Set([...namesOf(table), ...namesOf(place)])];
  if (condition === undefined) return { kind: "scan", input: common, keys };
  const ScanIndexForward = request.descending ? false : undefined;
  return { kind: "query", input: { ...common, KeyConditionExpression: condition, ScanIndexForward }, keys };
}

function keysOf(table: TableFacts, index: string | undefined): KeyFacts {
  if (index === undefined) return table;
  const found = table.indexes.find(({ name }) => name === index);
  if (found === undefined) throw new HttpError(400, `the table has no index ${JSON.stringify(index)}`);
  return found;
}

function namesOf({ partition, sort }: KeyFacts): readonly string[] {
  return sort === undefined ? [partition.name] : [partition.name, sort.name];
}

/** Names and values of an expression, each behind a placeholder: names may be reserved words, or contain any character. */
class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: AttributeValue[] = [];

  name(attribute: string): string {
    const known = this.#names.get(attribute) ?? `#n${this.#names.size}`;
    this.#names.set(attribute, known);
    return known;
  }

  value(value: AttributeValue): string {
    return `:v${this.#values.push(value) - 1}`;
  }

  parameters(): Pick<QueryInput, "ExpressionAttributeNames" | "ExpressionAttributeValues"> {
    const names = [...this.#names].map(([attribute, placeholder]) => [placeholder, attribute]);
    const values = this.#values.map((value, at) => [`:v${at}`, value]);
    return {
      ExpressionAttributeNames: names.length === 0 ? undefined : Object.fromEntries(names),
      ExpressionAttributeValues: values.length === 0 ? undefined : Object.fromEntries(values),
    };
  }
}

function keyCondition(
  { partition, sort }: KeyFacts,
  request: ItemsRequest,
  value: string,
  bound: Placeholders,
): string {
  const first = `${bound.name(partition.name)} = ${bound.value(keyValue(value, partition))}`;
  if (request.sort === undefined) return first;
  if (sort === undefined) throw new HttpError(400, "the table or index has no sort key");
  const { is, value: from, to } = request.sort;
  const name = bound.name(sort.name);
  const begin = bound.value(keyValue(from, sort));
  if (is === "begins_with") return `${first} AND begins_with(${name}, ${begin})`;
  if (is === "between") return `${first} AND ${name} BETWEEN ${begin} AND ${bound.value(keyValue(to, sort))}`;
  return `${first} AND ${name} ${is} ${begin}`;
}

/** Parses the value of a key from the query string: bytes are base64. */
function keyValue(text: string, { name, type }: KeyFact): AttributeValue {
  if (type === "S") return { S: text };
  if (type === "N") {
    if (text.trim() !== "" && Number.isFinite(Number(text))) return { N: text.trim() };
    throw new HttpError(400, `${name} must be a number`);
  }
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return { B: Uint8Array.from(Buffer.from(text, "base64")) };
  throw new HttpError(400, `${name} must be base64`);
}

function filterExpression({ path, is, value }: ItemFilter, bound: Placeholders): string {
  const place = path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${bound.name(step)}`))
    .join("");
  if (is === "exists") return `attribute_exists(${place})`;
  if (is === "not_exists") return `attribute_not_exists(${place})`;
  const compared = bound.value(value ?? { NULL: true });
  if (is === "begins_with" || is === "contains") return `${is}(${place}, ${compared})`;
  return `${place} ${is} ${compared}`;
}
