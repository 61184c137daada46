import { isGlobal, type KeyFact, type TableFacts } from "../api/table-facts.ts";
import { stepsOfPath } from "./filter-path.ts";
import type { ItemsQuery, TypedFilter } from "./items-query.ts";

const origin = `from ${JSON.stringify("@aws-sdk/client-dynamodb")}`;

/** The code of a query for the AWS SDK for JavaScript, version 3, at an endpoint; undefined is AWS's own. */
export function queryCode(facts: TableFacts, query: ItemsQuery, endpoint: string | undefined): string {
  const place = facts.indexes.find(({ name }) => name === query.index) ?? facts;
  const expression = new Expression();
  const isQuery = query.partition !== "";
  const input: Record<string, unknown> = { TableName: facts.name };
  if (query.index !== "") input["IndexName"] = query.index;
  if (isQuery) input["KeyConditionExpression"] = keyCondition(expression, place, query);
  const filters = query.filters.filter(({ path }) => path !== "").map((each) => filterOf(expression, each));
  if (filters.length > 0) input["FilterExpression"] = filters.join(" AND ");
  if (query.isConsistent && !isGlobal(place)) input["ConsistentRead"] = true;
  if (isQuery && query.isDescending) input["ScanIndexForward"] = false;
  Object.assign(input, expression.parameters());
  const verb = isQuery ? "Query" : "Scan";
  return [
    `import { DynamoDBClient, paginate${verb} } ${origin};`,
    "",
    clientCode(endpoint),
    `const input = ${print(input)};`,
    `for await (const { Items } of paginate${verb}({ client }, input)) console.log(Items);`,
  ].join("\n");
}

function clientCode(endpoint: string | undefined): string {
  if (endpoint === undefined) return "const client = new DynamoDBClient({});";
  return [
    "const client = new DynamoDBClient({",
    `  endpoint: ${JSON.stringify(endpoint)},`,
    '  region: "us-east-1",',
    "  // Any, unless the server was started with access keys.",
    '  credentials: { accessKeyId: "local", secretAccessKey: "local" },',
    "});",
  ].join("\n");
}

/** JSON with the names of the SDK's members unquoted. */
function print(input: object): string {
  return JSON.stringify(input, undefined, 2)
    .replaceAll(/^( +)"(\w+)":/gm, "$1$2:")
    .replaceAll(/^( +)B: (".*")$/gm, '$1B: Buffer.from($2, "base64")');
}

class Expression {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, unknown> = {};

  name(attribute: string): string {
    const known = this.#names.get(attribute) ?? `#n${this.#names.size}`;
    this.#names.set(attribute, known);
    return known;
  }

  value(value: object): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  parameters(): object {
    const names = Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name]));
    return {
      ...(this.#names.size > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}

function keyCondition(
  expression: Expression,
  { partition, sort }: { readonly partition: KeyFact; readonly sort?: KeyFact },
  query: ItemsQuery,
): string {
  const value = (key: KeyFact, typed: string) => expression.value({ [key.type]: typed });
  const first = `${expression.name(partition.name)} = ${value(partition, query.partition)}`;
  if (sort === undefined || query.sort === "") return first;
  const name = expression.name(sort.name);
  const one = value(sort, query.sort);
  if (query.sortIs === "begins_with") return `${first} AND begins_with(${name}, ${one})`;
  if (query.sortIs === "between")
    return `${first} AND ${name} BETWEEN ${one} AND ${value(sort, query.sortTo)}`;
  return `${first} AND ${name} ${query.sortIs} ${one}`;
}

/** Filters that DynamoDB has as functions. */
const functions: Readonly<Record<string, string>> = {
  exists: "attribute_exists",
  not_exists: "attribute_not_exists",
  contains: "contains",
  begins_with: "begins_with",
};

function filterOf(expression: Expression, { path, is, type, value }: TypedFilter): string {
  const name = stepsOfPath(path)
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${expression.name(step)}`))
    .join("")
    .slice(1);
  const called = functions[is];
  if (is === "exists" || is === "not_exists") return `${called}(${name})`;
  const content = { S: value, N: value, BOOL: value === "true", NULL: true }[type];
  const compared = expression.value({ [type]: content });
  return called === undefined ? `${name} ${is} ${compared}` : `${called}(${name}, ${compared})`;
}
