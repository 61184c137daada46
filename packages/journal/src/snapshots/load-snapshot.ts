import type { CallOptions, Item, TablekeepError } from "@tablekeep/core";
import { headsDown } from "./find-heads.ts";
import { type ReadHead, readHead } from "./read-head.ts";
import type { SnapshotBounds } from "./snapshot-bounds.ts";
import type { SnapshotContext } from "./snapshot-context.ts";
import { snapshotUnreadable } from "./snapshot-refusals.ts";
import type { LoadSnapshotOptions, Snapshot } from "./snapshots.ts";

/** How often a load begins again because the snapshot that it was reading was replaced or deleted. */
const maxRounds = 10;

/** Loads the snapshot of the highest number within bounds. */
export async function loadSnapshot(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  options: LoadSnapshotOptions,
): Promise<Snapshot | undefined> {
  const { onUnreadable = context.onUnreadable, ...call } = options;
  for (let round = 0; ; round++) {
    const found = await firstReadable(context, persistenceId, bounds, onUnreadable, call);
    if (found.kind !== "moved") return found.snapshot;
    if (round === maxRounds) throw snapshotUnreadable(found, "is replaced faster than it can be read");
  }
}

async function firstReadable(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  onUnreadable: LoadSnapshotOptions["onUnreadable"],
  call: CallOptions,
): Promise<Exclude<ReadHead, { kind: "unreadable" }> | { kind: "read"; snapshot: undefined }> {
  let first: TablekeepError | undefined;
  for await (const item of headsDown(context, persistenceId, bounds, call)) {
    const head = await readHead(context, persistenceId, item, call);
    if (head.kind !== "unreadable") return head;
    first ??= head.error;
    report(context, item, head.error);
    if (onUnreadable === "replay-all") return { kind: "read", snapshot: undefined };
    if (onUnreadable === "fail") break;
  }
  // That there are snapshots, but none that can be read, is not for this function to call "none".
  if (first !== undefined) throw first;
  return { kind: "read", snapshot: undefined };
}

function report({ logger, table }: SnapshotContext, item: Item, { code }: TablekeepError): void {
  logger.warn("a snapshot cannot be read", { table, key: item["par"]?.S, sequenceNr: item["seq"]?.N, code });
}
