/**
 * Cases as data: the items before, one request, what must come of it, and the items afterwards.
 *
 * Strings of a row may contain names that start with `$`. `$simple`, `$composite`, `$numeric`, `$binary` and `$indexed` are the
 * shared tables, `$table` is the table that `own` creates, and every other name (`$pk`, `$one`) stands for a string that no other
 * case has.
 */
import assert from "node:assert/strict";
import {
  type CreateTableInput,
  type DynamoExceptionName,
  type InputOf,
  type Item,
  type OperationName,
  operationNames,
} from "@tablekeep/core";
import { rejects, same } from "./expectations.ts";
import { localGap, type PortCase, type PortWorld } from "./port-case.ts";
import { ownTable, seed } from "./sample-rows.ts";
import type { SharedTables } from "./shared-tables.ts";

type Request = { readonly [Name in OperationName as Uncapitalize<Name>]?: Partial<InputOf<Name>> };

/** One request, under the name of the port's method, and what must come of it. Without expectations it must be accepted. */
export interface Step extends Request {
  /** The whole output. */
  readonly returns?: object;
  /**
   * Parts of the output, or of the error's details, by path: `Count`, `Items.*.sk.S`, `Responses.0.Item`. A regular expression
   * must match, against "" where the part is absent; `undefined` stands for an absent part.
   */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** Compares the lists in `shows` whatever their order. */
  readonly inAnyOrder?: boolean;
  /** Reads page after page to the end; the output is then `Items`, and `Pages` with the items of each page. */
  readonly allPages?: boolean;
  /** Repeats the request until the output is as expected. Control-plane changes are not immediate. */
  readonly eventually?: boolean;
  /**
   * DynamoDB rejects the request: a part of its message, "" for any. Other exceptions than ValidationException stand before it:
   * `ResourceNotFoundException`, `ConditionalCheckFailedException: The conditional request failed`.
   */
  readonly rejected?: string | RegExp;
}

type Items = Readonly<Partial<Record<keyof SharedTables | "table", readonly Item[]>>>;

/** What the cases of one table may have in common. */
interface Defaults {
  readonly source: string;
  /** Why DynamoDB Local is known to fail. */
  readonly gap?: string;
  /** The TableName of requests on items that name none. */
  readonly table?: keyof SharedTables | "table";
  /** Creates `$table`, with partition key `pk` (S) and these members. */
  readonly own?: Partial<CreateTableInput>;
  /** The items before, by table. */
  readonly given?: Items;
  /** The deadline of each request. A backend that answers 500 would otherwise be retried to the end of the port's own. */
  readonly deadlineMs?: number;
}

/** A case as data. */
export interface Row extends Step, Partial<Defaults> {
  readonly name: string;
  /** Several requests instead of one, in order. */
  readonly steps?: readonly Step[];
  /** All items afterwards, in order, of the partitions that the row names by `$`; of `$table`, all its items. */
  readonly after?: Items;
}

/** A case that needs a function: loops, concurrency, or values that only a response has. */
interface FunctionRow extends Partial<Pick<Defaults, "source" | "gap">> {
  readonly name: string;
  readonly run: PortCase["run"];
}

/** Turns rows into cases. A row's own members go before those of `defaults`. */
export function cases(defaults: Defaults, rows: readonly (Row | FunctionRow)[]): PortCase[] {
  return rows.map((given) => {
    const row = { ...defaults, ...given };
    const run = "run" in row ? row.run : (world: PortWorld) => runRow(row, world);
    return { name: row.name, source: row.source, ...localGap(row.gap), run };
  });
}

const methods = new Set(operationNames.map((name) => name.charAt(0).toLowerCase() + name.slice(1)));
const onItems = new Set(["getItem", "putItem", "updateItem", "deleteItem", "query", "scan"]);

async function runRow(row: Row, world: PortWorld): Promise<void> {
  const names = new Map<string, string>(Object.entries(world.tables));
  if (row.own !== undefined) names.set("table", await ownTable(world, row.own));
  const nameOf = (word: string): string => {
    const name = names.get(word) ?? world.unique();
    names.set(word, name);
    return name;
  };
  const { name: _, source: __, ...data } = row;
  const { given = {}, after, steps, table, ...step } = resolve(data, nameOf) as typeof data;
  for (const [at, items] of Object.entries(given)) await seed(world.port, nameOf(at), items);
  for (const each of steps ?? [step]) await runStep(each, world, table && nameOf(table), row.deadlineMs);
  const partitions = [...names].filter(([word]) => word !== "table" && !(word in world.tables));
  for (const [at, expected] of Object.entries(after ?? {})) {
    const values = partitions.map(([, value]) => value);
    const stored = at === "table" ? await scanned(world, nameOf(at)) : await read(world, at, values);
    const sort = at === "simple" || at === "table" ? inOrder : (items: unknown) => items;
    same({ [at]: sort(stored) }, { [at]: sort(expected) });
  }
}

async function runStep(step: Step, world: PortWorld, table?: string, deadlineMs?: number): Promise<void> {
  const [method, ...others] = Object.keys(step).filter((member) => methods.has(member));
  if (method === undefined || others.length > 0) throw new Error("a step needs one request");
  const input = {
    ...(table !== undefined && onItems.has(method) && { TableName: table }),
    ...(step as Record<string, object>)[method],
  };
  const port = world.port as unknown as Record<string, (input: object, options?: object) => Promise<object>>;
  const call = async (over = {}): Promise<object> =>
    port[method]?.({ ...input, ...over }, deadlineMs === undefined ? {} : { deadlineMs }) ?? {};
  const attempt = async () => {
    if (step.rejected !== undefined) return check(await rejection(call(), step.rejected), step);
    return check(step.allPages ? await everyPage(call) : await call(), step);
  };
  // On AWS, a global index shows a write a moment later.
  if (!step.eventually && !(world.backend === "aws" && readsIndex(input))) return attempt();
  const agrees = async () => {
    const failure = await attempt().catch((error: unknown) => error ?? new Error("failed"));
    return failure === undefined;
  };
  await world.eventually(`${method} returns what is expected`, agrees).catch(attempt);
}

/** Whether a request reads an index: `"table"."index"` in a statement. */
function readsIndex(input: object): boolean {
  return "IndexName" in input || ("Statement" in input && String(input.Statement).includes('"."'));
}

async function rejection(call: Promise<object>, rejected: string | RegExp): Promise<object> {
  const [, exception, text] = /^(\w+Exception)(?:: (.*))?$/s.exec(String(rejected)) ?? [];
  const name = (exception ?? "ValidationException") as DynamoExceptionName;
  const error = await rejects(call, name, exception === undefined ? rejected : text);
  return error.details;
}

function check(output: object, { returns, shows, inAnyOrder }: Step): void {
  if (returns !== undefined) same(output, returns);
  for (const [path, expected] of Object.entries(shows ?? {})) {
    const shown = select(output, path.split("."));
    if (expected instanceof RegExp) assert.match(String(shown ?? ""), expected, path);
    else if (inAnyOrder) same({ [path]: inOrder(shown) }, { [path]: inOrder(expected) });
    else same({ [path]: shown }, { [path]: expected });
  }
}

/** The part of a value at a path; `*` goes through all elements of a list. */
function select(value: unknown, [head, ...rest]: string[]): unknown {
  if (head === undefined) return value;
  if (head === "*") return Array.isArray(value) ? value.map((each) => select(each, rest)) : undefined;
  return select((value as Record<string, unknown> | undefined)?.[head], rest);
}

/** A list in an order that depends on its elements only. */
function inOrder(value: unknown): unknown {
  const text = (each: unknown) => JSON.stringify(each, sortedMembers);
  return Array.isArray(value) ? [...value].sort((one, two) => (text(one) < text(two) ? -1 : 1)) : value;
}

function sortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}

async function everyPage(call: (over?: object) => Promise<object>): Promise<object> {
  const pages: Item[][] = [];
  let over: { ExclusiveStartKey?: Item; NextToken?: string } = {};
  do {
    const page: { Items?: Item[]; LastEvaluatedKey?: Item; NextToken?: string } = await call(over);
    pages.push(page.Items ?? []);
    over = page.NextToken ? { NextToken: page.NextToken } : { ExclusiveStartKey: page.LastEvaluatedKey };
    assert.ok(pages.length < 1_000, "paging does not end");
  } while (over.NextToken !== undefined || over.ExclusiveStartKey !== undefined);
  return { Items: pages.flat(), Pages: pages };
}

/** The items of some partitions of a shared table. */
async function read({ port, tables }: PortWorld, table: string, keys: string[]): Promise<Item[]> {
  const TableName = tables[table as keyof SharedTables];
  const found = keys.map(async (key) => {
    const pk = { S: key };
    if (table === "simple") {
      const { Item, ...rest } = await port.getItem({ TableName, Key: { pk }, ConsistentRead: true });
      same(rest, {});
      return Item === undefined ? [] : [Item];
    }
    const { Items = [], ...rest } = await port.query({
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": pk },
      ConsistentRead: true,
    });
    same(rest, { Count: Items.length, ScannedCount: Items.length });
    return Items;
  });
  return (await Promise.all(found)).flat();
}

async function scanned({ port }: PortWorld, TableName: string): Promise<Item[]> {
  return (await port.scan({ TableName, ConsistentRead: true })).Items ?? [];
}

/** The value with the names in its strings replaced, in keys too. */
function resolve(value: unknown, nameOf: (word: string) => string): unknown {
  if (typeof value === "string") return value.replace(/\$([a-z]\w*)/g, (_, word: string) => nameOf(word));
  if (Array.isArray(value)) return value.map((each) => resolve(each, nameOf));
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array || value instanceof RegExp) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [resolve(key, nameOf) as string, resolve(each, nameOf)]),
  );
}
