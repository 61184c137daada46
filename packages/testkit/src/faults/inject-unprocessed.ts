import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  BatchWriteItemInput,
  BatchWriteItemOutput,
} from "@tablekeep/core";
import type { SeededRandom } from "../random/seeded-random.ts";
import { canonicalJson } from "./change-memory.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { FaultWorld, FaultyRequest, Injection, Send } from "./faulty-request.ts";

type Unprocessed = Extract<FaultAction, { kind: "unprocessed" }>;

/** One put, delete or key of a batch. */
interface BatchEntry {
  readonly table: string;
  readonly entry: object;
  readonly identity: string;
}

/** Some entries of a batch come back unprocessed; only the others are passed on. */
export const injectUnprocessed: Injection<Unprocessed> = (request, send, fault, world, random) => {
  const entries = entriesOf(request);
  for (const { identity } of chosen(entries, fault, random)) world.heldItems.set(identity, fault.rounds ?? 1);
  return holdBack(request, send, world);
};

/** Whether entries of this batch are to come back unprocessed, because of an earlier request. */
export function isHeldBack(request: FaultyRequest, world: FaultWorld): boolean {
  return world.heldItems.size > 0 && entriesOf(request).some((each) => world.heldItems.has(each.identity));
}

/** Passes on the entries that are not held, and returns the others as unprocessed. */
export async function holdBack(request: FaultyRequest, send: Send, world: FaultWorld): Promise<object> {
  const held = entriesOf(request).filter((each) => spendRound(each.identity, world));
  const identities = new Set(held.map((each) => each.identity));
  const passed = entriesOf(request).filter((each) => !identities.has(each.identity));
  const answer = passed.length === 0 ? {} : await send({ ...request, input: inputWith(request, passed) });
  return withUnprocessed(request, answer, held);
}

function spendRound(identity: string, world: FaultWorld): boolean {
  const rounds = world.heldItems.get(identity);
  if (rounds === undefined) return false;
  if (rounds > 1) world.heldItems.set(identity, rounds - 1);
  else world.heldItems.delete(identity);
  return true;
}

function chosen(
  entries: readonly BatchEntry[],
  fault: Unprocessed,
  random: () => SeededRandom,
): BatchEntry[] {
  if (fault.items !== undefined) return entries.filter((_, index) => fault.items?.includes(index));
  const count = Math.max(1, Math.round(entries.length * (fault.share ?? 1)));
  return random().shuffle(entries).slice(0, count);
}

function entriesOf(request: FaultyRequest): BatchEntry[] {
  const listed: [string, readonly object[]][] =
    request.operation === "BatchGetItem"
      ? Object.entries((request.input as BatchGetItemInput).RequestItems ?? {}).map(([table, each]) => [
          table,
          each.Keys ?? [],
        ])
      : request.operation === "BatchWriteItem"
        ? Object.entries((request.input as BatchWriteItemInput).RequestItems ?? {})
        : [];
  return listed.flatMap(([table, entries]) =>
    entries.map((entry) => ({
      table,
      entry,
      identity: `${request.operation} ${table} ${canonicalJson(entry)}`,
    })),
  );
}

function inputWith(request: FaultyRequest, entries: readonly BatchEntry[]): object {
  return { ...request.input, RequestItems: regroup(request, entries) };
}

/** The request's own form, with these entries only. */
function regroup(request: FaultyRequest, entries: readonly BatchEntry[]): Record<string, unknown> {
  const { RequestItems = {} } = request.input as { RequestItems?: Record<string, object> };
  const tables = [...new Set(entries.map((each) => each.table))];
  return Object.fromEntries(
    tables.map((table) => {
      const own = entries.filter((each) => each.table === table).map((each) => each.entry);
      return [table, request.operation === "BatchGetItem" ? { ...RequestItems[table], Keys: own } : own];
    }),
  );
}

function withUnprocessed(request: FaultyRequest, answer: object, held: readonly BatchEntry[]): object {
  const unprocessed = regroup(request, held);
  if (request.operation === "BatchGetItem") {
    const { Responses = {}, UnprocessedKeys = {}, ...rest } = answer as BatchGetItemOutput;
    return { ...rest, Responses, UnprocessedKeys: merged(UnprocessedKeys, unprocessed, "Keys") };
  }
  const { UnprocessedItems = {}, ...rest } = answer as BatchWriteItemOutput;
  return { ...rest, UnprocessedItems: merged(UnprocessedItems, unprocessed) };
}

/** The entries that the service left unprocessed, and those that were held back. */
function merged(theirs: object, ours: Record<string, unknown>, list?: "Keys"): Record<string, unknown> {
  const all: Record<string, unknown> = { ...ours };
  for (const [table, entries] of Object.entries(theirs) as [string, never][]) {
    const mine = ours[table] as never;
    if (mine === undefined) all[table] = entries;
    else if (list === undefined) all[table] = [...(entries as object[]), ...(mine as object[])];
    else
      all[table] = {
        ...(mine as object),
        [list]: [...(entries[list] as object[]), ...(mine[list] as object[])],
      };
  }
  return all;
}
