import type { AttributeValue, QueryInput, ScanInput } from "@tablekeep/core";
import { HttpRefusal } from "../http/http-refusal.ts";
import type { ItemFilter, ItemsRequest } from "./items-request.ts";
import type { KeyFact, KeyFacts, TableFacts } from "./table-facts.ts";

/** What to send for a request: a query of one partition, or a scan. */
export type ItemsInput =
  | { readonly kind: "query"; readonly input: QueryInput; readonly keys: readonly string[] }
  | { readonly kind: "scan"; readonly input: ScanInput; readonly keys: readonly string[] };

/** The parameters for what was asked of this table. `keys` are the attributes that tell the place of an item. */
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
  if (found === undefined) throw new HttpRefusal(400, `the table has no index ${JSON.stringify(index)}`);
  return found;
}

function namesOf({ partition, sort }: KeyFacts): readonly string[] {
  return sort === undefined ? [partition.name] : [partition.name, sort.name];
}

/** Names and values of an expression, each behind a placeholder: names may be reserved words, or hold anything. */
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
  if (sort === undefined) throw new HttpRefusal(400, "there is no sort key here");
  const { is, value: from, to } = request.sort;
  const name = bound.name(sort.name);
  const begin = bound.value(keyValue(from, sort));
  if (is === "begins_with") return `${first} AND begins_with(${name}, ${begin})`;
  if (is === "between") return `${first} AND ${name} BETWEEN ${begin} AND ${bound.value(keyValue(to, sort))}`;
  return `${first} AND ${name} ${is} ${begin}`;
}

/** The value of a key as a text of the query string: bytes are base64. */
function keyValue(text: string, { name, type }: KeyFact): AttributeValue {
  if (type === "S") return { S: text };
  if (type === "N") {
    if (text.trim() !== "" && Number.isFinite(Number(text))) return { N: text.trim() };
    throw new HttpRefusal(400, `${name} is a number`);
  }
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return { B: Uint8Array.from(Buffer.from(text, "base64")) };
  throw new HttpRefusal(400, `${name} holds bytes: give them as base64`);
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
