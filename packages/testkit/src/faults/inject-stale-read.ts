import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  GetItemInput,
  GetItemOutput,
  Item,
  Key,
  QueryInput,
  QueryOutput,
  ScanInput,
} from "@tablekeep/core";
import { canonicalJson, keyIdentity } from "./change-memory.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { FaultWorld, FaultyRequest, Injection } from "./faulty-request.ts";

type Stale = Extract<FaultAction, { kind: "stale" }>;

/** Whether a read is eventually consistent, at least in part. */
export function mayBeStale(request: FaultyRequest): boolean {
  if (request.operation === "BatchGetItem") {
    const { RequestItems } = request.input as BatchGetItemInput;
    return Object.values(RequestItems ?? {}).some((each) => each.ConsistentRead !== true);
  }
  const stalable = ["GetItem", "Query", "Scan"].includes(request.operation);
  return stalable && (request.input as GetItemInput).ConsistentRead !== true;
}

/**
 * Answers from the state before the last writes. Exact for reads by key. A query or scan that was asked before gets an
 * answer of that time; otherwise it leaves out the items that were not there yet and shows the others as they were.
 * What a filter, a nested projection or a removal would need to be exact stays as it is now.
 */
export const injectStaleRead: Injection<Stale> = async (request, send, fault, world) => {
  const writes = world.changes.writes() - (fault.behind ?? 1);
  const earlier = world.changes.earlierAnswer(questionOf(request), writes);
  const answer = await send(request);
  if (request.operation === "GetItem") return staleItem(request, answer, writes, world);
  if (request.operation === "BatchGetItem") return staleBatch(request, answer, writes, world);
  return earlier ?? stalePage(request, answer, writes, world);
};

/** What identifies a query or scan, for {@link ChangeMemory.earlierAnswer}. */
export function questionOf(request: FaultyRequest): string {
  return `${request.operation} ${canonicalJson(request.input)}`;
}

function staleItem(request: FaultyRequest, answer: GetItemOutput, writes: number, world: FaultWorld): object {
  const input = request.input as GetItemInput;
  const past = world.changes.asOf(input.TableName ?? "", input.Key ?? {}, writes);
  const projection = topLevelProjection(input);
  if (past === undefined || projection === "nested") return answer;
  const { Item: _now, ...rest } = answer;
  return past.item === undefined ? rest : { ...rest, Item: project(past.item, projection) };
}

function staleBatch(
  request: FaultyRequest,
  answer: BatchGetItemOutput,
  writes: number,
  world: FaultWorld,
): object {
  const { RequestItems = {} } = request.input as BatchGetItemInput;
  const Responses = { ...answer.Responses };
  for (const [table, { Keys = [], ...asked }] of Object.entries(RequestItems)) {
    const names = Object.keys(Keys[0] ?? {});
    const projection = topLevelProjection(asked);
    const showsKeys =
      projection === "all" || (projection !== "nested" && names.every((name) => projection.includes(name)));
    if (asked.ConsistentRead === true || !showsKeys) continue;
    const pasts = new Map(Keys.map((key) => [keyText(key, names), world.changes.asOf(table, key, writes)]));
    const unprocessed = new Set(answer.UnprocessedKeys?.[table]?.Keys?.map((key) => keyText(key, names)));
    const unchanged = (Responses[table] ?? []).filter(
      (item) => pasts.get(keyText(item, names)) === undefined,
    );
    const earlier = [...pasts]
      .filter(([key]) => !unprocessed.has(key))
      .flatMap(([, past]) => (past?.item === undefined ? [] : [project(past.item, projection)]));
    Responses[table] = [...unchanged, ...earlier];
  }
  return { ...answer, Responses };
}

async function stalePage(
  request: FaultyRequest,
  answer: QueryOutput,
  writes: number,
  world: FaultWorld,
): Promise<object> {
  const input = request.input as QueryInput | ScanInput;
  const schema = await world.tableKeys.of(input.TableName ?? "");
  const projection = topLevelProjection(input);
  if (schema === undefined || projection === "nested" || answer.Items === undefined) return answer;
  const filtered = input.FilterExpression !== undefined || "QueryFilter" in input || "ScanFilter" in input;
  const index = input.IndexName === undefined ? undefined : schema.indexes.get(input.IndexName);
  const held = index?.projected && [...schema.key, ...index.key, ...index.projected];
  const Items = answer.Items.flatMap((now) => {
    if (!schema.key.every((name) => name in now)) return [now];
    const past = world.changes.asOf(input.TableName ?? "", pickKey(now, schema.key), writes);
    if (past === undefined) return [now];
    if (past.item === undefined || moved(past.item, now, index?.key ?? [])) return [];
    return filtered ? [now] : [project(held ? project(past.item, held) : past.item, projection)];
  });
  return { ...answer, Items, Count: Items.length };
}

/** An item with other index keys stood elsewhere in the index. */
function moved(past: Item, now: Item, keys: readonly string[]): boolean {
  return keys.some((name) => canonicalJson(past[name]) !== canonicalJson(now[name] ?? past[name]));
}

function pickKey(item: Item, names: readonly string[]): Key {
  return project(item, names);
}

/** One text for all ways to write a key. */
function keyText(item: Item, names: readonly string[]): string {
  return keyIdentity("", pickKey(item, names));
}

/** The projection of a read: everything, these attributes, or parts of attributes, which are not followed here. */
type TopLevelProjection = "all" | "nested" | readonly string[];

/** The projection of a read, as far as it is a list of whole attributes. */
function topLevelProjection(input: {
  readonly ProjectionExpression?: string;
  readonly AttributesToGet?: readonly string[];
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}): TopLevelProjection {
  if (input.AttributesToGet !== undefined) return input.AttributesToGet;
  if (input.ProjectionExpression === undefined) return "all";
  const paths = input.ProjectionExpression.split(",").map((path) => path.trim());
  if (paths.some((path) => /[.[\]]/.test(path))) return "nested";
  return paths.map((path) => input.ExpressionAttributeNames?.[path] ?? path);
}

/** The part of an item that a projection shows. */
function project(item: Item, projection: Exclude<TopLevelProjection, "nested">): Item {
  if (projection === "all") return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => projection.includes(name)));
}
