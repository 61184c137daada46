import { batchGet } from "@tablekeep/client";
import type { Key } from "@tablekeep/core";
import { type Layout, numberOf } from "../../layouts/layout.ts";
import type { Marks } from "../../position/read-marks.ts";
import { pageSettings } from "../../replay/read-rows.ts";
import type { Tool } from "../open-tool.ts";
import { type Finding, finding } from "./finding.ts";

/** Where there are rows above what the high marks tell, the original does not see them: a bug of 1.0 to 1.1.1. */
export function* checkHighMark(
  layout: Layout,
  persistenceId: string,
  { high, low }: Marks,
  highest: number,
): Generator<Finding> {
  const due = highest > 0 ? layout.highMark(persistenceId, 0, highest) : undefined;
  if (due === undefined || high >= due.value) return;
  // Without rows the low mark tells the highest number, to everybody.
  if (highest < low) return;
  const message = `events go up to ${highest}, and the high mark is ${high} instead of ${due.value}: the original does not see them all`;
  const repair = { action: "raise-high-mark", to: highest } as const;
  yield finding("high-mark-missing", persistenceId, message, { from: due.value, to: highest, repair });
}

/** A mark must stand in the shard of its number. Marks move out of sight where the number of shards is changed. */
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
    const message = `the ${what} mark ${value} stands in another shard than its own: was the number of shards changed?`;
    return [finding("mark-misplaced", persistenceId, message, { from: value, to: value })];
  });
}

function sameKey(one: Key, other: Key): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
