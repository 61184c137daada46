import type { AttributeValue, Key, QueryInput, QueryOutput, ScanInput } from "@tablekeep/core";
import { canonicalJson } from "./change-memory.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { FaultWorld, FaultyRequest, Injection } from "./faulty-request.ts";

type PageCut = Extract<FaultAction, { kind: "page-cut" }>;

/** Ends a page early, by a lower Limit. */
export const injectPageCut: Injection<PageCut> = (request, send, { items }, world) => {
  if (items === 0) return emptyPage(request, world, () => send(request));
  const { Limit = items } = request.input as { Limit?: number };
  return send({ ...request, input: { ...request.input, Limit: Math.min(items, Limit) } });
};

/**
 * An empty page before the items that are there. Its LastEvaluatedKey is made up, and belongs to no item; when it comes
 * back as ExclusiveStartKey, {@link fromTrueStart} replaces it by the true place, so nothing is skipped or repeated.
 */
async function emptyPage(
  request: FaultyRequest,
  world: FaultWorld,
  otherwise: () => Promise<object>,
): Promise<object> {
  const input = request.input as QueryInput | ScanInput;
  const place = input.ExclusiveStartKey ?? (await keyOfFirst(request, world));
  const madeUp = place && (await besides(place, input.TableName ?? "", request.number, world));
  // Nothing to read here, or a key that cannot be varied: an empty page is not possible.
  if (madeUp === undefined) return otherwise();
  world.pageStarts.set(pageIdentity(input.TableName, madeUp), input.ExclusiveStartKey);
  return { Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey: madeUp } satisfies QueryOutput;
}

/** The request with the true place where the page before it ended, if that page was made up. */
export function fromTrueStart(request: FaultyRequest, world: FaultWorld): FaultyRequest {
  const { TableName, ExclusiveStartKey } = request.input as QueryInput;
  if (ExclusiveStartKey === undefined || world.pageStarts.size === 0) return request;
  const identity = pageIdentity(TableName, ExclusiveStartKey);
  if (!world.pageStarts.has(identity)) return request;
  return { ...request, input: { ...request.input, ExclusiveStartKey: world.pageStarts.get(identity) } };
}

function pageIdentity(table: string | undefined, key: Key): string {
  return `${table} ${canonicalJson(key)}`;
}

async function keyOfFirst(request: FaultyRequest, world: FaultWorld): Promise<Key | undefined> {
  const probe = { ...(request.input as QueryInput), Limit: 1 };
  const page = await world.direct(request.operation as "Query", probe, request.options);
  return page.LastEvaluatedKey;
}

/** A key like this one that no item has. */
async function besides(key: Key, table: string, number: number, world: FaultWorld): Promise<Key | undefined> {
  const last = (await world.tableKeys.of(table))?.key.at(-1) ?? "";
  const value = key[last] && varied(key[last], number);
  return value && { ...key, [last]: value };
}

function varied(value: AttributeValue, number: number): AttributeValue | undefined {
  if (value.S !== undefined) return { S: `${value.S}\u0000${number}` };
  if (value.B !== undefined) return { B: Uint8Array.from([...value.B, 0, ...Buffer.from(String(number))]) };
  if (value.N === undefined || !/^-?\d{1,25}$/.test(value.N)) return undefined;
  return { N: `${value.N}.${number}5` };
}
