import { batchGet, queryItems } from "@tablekeep/client";
import type { Item, Key } from "@tablekeep/core";
import { type Layout, numberOf } from "../../layouts/layout.ts";
import type { Marks } from "../../protocol/marks.ts";
import { pageSettings, readItems } from "../../protocol/read-rows.ts";
import { readRegistrySlots } from "../../protocol/registry.ts";
import { tombstoneNames } from "../../rows/tombstone.ts";
import type { Tool } from "../open-tool.ts";
import type { ToolId } from "../tool-ids.ts";
import { type Finding, finding, numbersText } from "./finding.ts";

/**
 * A commit record must have its batch: a row that names its write, or the tombstone that takes the record along. In the
 * scattered layout records cannot be listed, and nothing is searched for.
 */
export async function* checkCommits(
  { context, call }: Tool,
  persistenceId: string,
): AsyncGenerator<Finding, void, undefined> {
  const query = context.layout.commitQuery?.(persistenceId);
  if (query === undefined) return;
  const { port, table, layout } = context;
  const input = { TableName: table, ...query, ConsistentRead: true };
  for await (const record of queryItems(port, input, pageSettings(context, call))) {
    const first = Math.abs(numberOf(record, layout.keyNames[1] ?? "") ?? 0);
    const last = numberOf(record, "last") ?? first;
    const writeId = record["wid"]?.S;
    // An item of another program: every record of ours names its write.
    if (writeId === undefined) continue;
    if (await hasBatch({ context, call }, persistenceId, { first, last, writeId })) continue;
    const message = `the commit record of ${numbersText(first, last)} has no batch`;
    const repair = { action: "remove-commit-record", writeId, first } as const;
    yield finding("commit-record-left", persistenceId, message, { from: first, to: last, repair });
  }
}

async function hasBatch(
  { context, call }: Pick<Tool, "context" | "call">,
  persistenceId: string,
  { first, last, writeId }: { readonly first: number; readonly last: number; readonly writeId: string },
): Promise<boolean> {
  const isOf = (item: Item) =>
    item["wid"]?.S === writeId ||
    (item[tombstoneNames.mark]?.BOOL === true && numberOf(item, tombstoneNames.commitOf) === first);
  // Nearly always the last row is enough: those before it may be deleted.
  for (const range of [
    { from: last, to: last },
    { from: first, to: last },
  ]) {
    for await (const page of readItems(context, persistenceId, range, call)) {
      if (page.some(isOf)) return true;
    }
  }
  return false;
}

/** The original does not see rows above the high marks: a bug of 1.0 to 1.1.1. */
export function* checkHighMark(
  layout: Layout,
  persistenceId: string,
  { high, low }: Marks,
  highest: number,
): Generator<Finding> {
  const due = highest > 0 ? layout.highMark(persistenceId, 0, highest) : undefined;
  if (due === undefined || high >= due.value) return;
  // Without rows the low mark is the highest sequence number, for all readers.
  if (highest < low) return;
  const message = `events go up to ${highest}, but the high mark is ${high} instead of ${due.value}: the original does not find them all`;
  const repair = { action: "raise-high-mark", to: highest } as const;
  yield finding("high-mark-missing", persistenceId, message, { from: due.value, to: highest, repair });
}

/** A mark must be in the shard of its sequence number. Marks are not found if the number of shards is changed. */
export async function checkMarkPlaces({ context, call }: Tool, persistenceId: string): Promise<Finding[]> {
  const { port, table, layout } = context;
  const { high, low } = layout.markKeys(persistenceId);
  if (high.length === 0) return [];
  const keys = [...high, ...low].map((key) => ({ table, key }));
  const items = await batchGet(port, keys, {
    consistent: true,
    maxKeys: context.maxBatchGet,
    ...pageSettings(context, call),
  });
  return keys.flatMap(({ key }, at) => {
    const isHigh = at < high.length;
    const value = numberOf(items[at], layout.markAttributes[isHigh ? "high" : "low"]);
    if (value === undefined) return [];
    const own = isHigh
      ? layout.highMark(persistenceId, value - 1, value)?.key
      : layout.lowMark(persistenceId, value).key;
    if (own === undefined || sameKey(own, key)) return [];
    const what = isHigh ? "high" : "low";
    const message = `the ${what} mark ${value} is in the wrong shard: was sequence-shards changed?`;
    return [finding("mark-misplaced", persistenceId, message, { from: value, to: value })];
  });
}

/** Marks in shards that the journal does not read, and that say more than those that it does. */
export function* checkUnreadMarks(
  { persistenceId, seen }: ToolId,
  { high, low }: Marks,
  highest: number,
): Generator<Finding> {
  if (seen === undefined) return;
  for (const [what, value, known] of [
    ["high", seen.unreadHigh, Math.max(high, highest)],
    ["low", seen.unreadLow, Math.max(1, low)],
  ] as const) {
    if (value <= known) continue;
    const message = `the ${what} mark ${value} is in a shard that is not read: set sequenceShards to the plugin's sequence-shards`;
    yield finding("mark-unread", persistenceId, message, { from: value, to: value });
  }
}

function sameKey(one: Key, other: Key): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** An id that has numbers should be in the registry, once. */
export async function checkRegistry(
  { context, call }: Tool,
  persistenceId: string,
  hasNumbers: boolean,
): Promise<Finding[]> {
  if (context.layout.registryKey === undefined) return [];
  const places = await readRegistrySlots(context, persistenceId, call);
  if (places.own.length === 0 && hasNumbers) {
    const message = "the id is not in the registry: queries for ids that use it do not return it";
    return [finding("not-registered", persistenceId, message, { repair: { action: "register" } })];
  }
  if (places.own.length < 2) return [];
  const message = `the id is in the registry ${places.own.length} times: queries for ids return it ${places.own.length} times`;
  return [
    finding("registered-twice", persistenceId, message, { repair: { action: "unregister-duplicates" } }),
  ];
}
