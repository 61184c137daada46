import { batchWrite, type SettleDeleteInput, settleDelete } from "@tablekeep/client";
import { type CallOptions, type Outcome, unwrap } from "@tablekeep/core";
import { collectGarbage } from "./collect-garbage.ts";
import { type HeadKey, headKeyPages, type SnapshotBounds } from "./find-heads.ts";
import { clientOptions, type SnapshotContext } from "./snapshot-context.ts";

/** The request that deletes a head if it has not been replaced. */
function deleteHeadInput(
  context: SnapshotContext,
  persistenceId: string,
  head: {
    readonly sequenceNr: number;
    readonly timestamp?: number;
    readonly snapshotId?: string;
  },
): SettleDeleteInput {
  const { timestamp = 0, snapshotId } = head;
  const conditions = [
    snapshotId === undefined ? "attribute_not_exists(sid)" : "sid = :sid",
    ...(timestamp > 0 ? ["(attribute_not_exists(par) OR ts = :ts)"] : []),
  ];
  const values = {
    ...(snapshotId !== undefined && { ":sid": { S: snapshotId } }),
    ...(timestamp > 0 && { ":ts": { N: String(timestamp) } }),
  };
  return {
    TableName: context.table,
    Key: context.keys.head(persistenceId, head.sequenceNr),
    ConditionExpression: conditions.join(" AND "),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** How many times a head that is replaced during its deletion is read again. */
const maxRounds = 5;

/**
 * Deletes one snapshot. The head is deleted first, and with it the snapshot is gone for every reader. Because of the
 * condition on its id, a snapshot in one item, as nearly every one is, needs one request that returns no data.
 */
export async function deleteOne(
  context: SnapshotContext,
  persistenceId: string,
  sequenceNr: number,
  timestamp: number,
  options: CallOptions,
): Promise<void> {
  let snapshotId: string | undefined;
  for (let round = 0; round < maxRounds; round++) {
    const input = deleteHeadInput(context, persistenceId, { sequenceNr, timestamp, snapshotId });
    const outcome = await sendDelete(context, input, options);
    if (outcome.kind !== "conflict") {
      unwrap(outcome);
      break;
    }
    const { current } = outcome;
    // Deleted meanwhile, or saved at another time than requested.
    if (current === undefined) break;
    if (timestamp > 0 && Number(current["ts"]?.N) !== timestamp) return;
    snapshotId = current["sid"]?.S;
  }
  if (snapshotId !== undefined) await collectGarbage(context, persistenceId, options);
}

/** Deletes all snapshots within bounds, page after page. */
export async function deleteWithin(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  options: CallOptions,
): Promise<void> {
  let chunked = false;
  for await (const page of headKeyPages(context, persistenceId, bounds, options)) {
    await deleteHeads(context, persistenceId, page, bounds.maxTimestamp < Number.MAX_SAFE_INTEGER, options);
    chunked ||= page.some(({ snapshotId }) => snapshotId !== undefined);
  }
  if (chunked) await collectGarbage(context, persistenceId, options);
}

/** Deletes all snapshots but those of the `keep` highest numbers. */
export async function deleteButNewest(
  context: SnapshotContext,
  persistenceId: string,
  keep: number,
  options: CallOptions,
): Promise<void> {
  const all = { minSequenceNr: 0, maxSequenceNr: Number.MAX_SAFE_INTEGER };
  const bounds = { ...all, minTimestamp: 0, maxTimestamp: Number.MAX_SAFE_INTEGER };
  let left = keep;
  let chunked = false;
  for await (const page of headKeyPages(context, persistenceId, bounds, { ...options, down: true })) {
    // Expired ones do not count among those to keep, and go.
    const newest = page.filter(({ isExpired }) => !isExpired).slice(0, left);
    const older = page.filter((head) => !newest.includes(head));
    left -= newest.length;
    await deleteHeads(context, persistenceId, older, false, options);
    chunked ||= older.some(({ snapshotId }) => snapshotId !== undefined);
  }
  if (chunked) await collectGarbage(context, persistenceId, options);
}

/** How many heads are deleted at the same time. */
const parallel = 8;

/**
 * Deletes heads. If the criteria bound the timestamp, a head that was replaced since it was read may no longer match:
 * then each is deleted separately, and only if unchanged. Otherwise the replacement matches as well, and heads are
 * deleted in batches.
 */
async function deleteHeads(
  context: SnapshotContext,
  persistenceId: string,
  heads: readonly HeadKey[],
  exact: boolean,
  options: CallOptions,
): Promise<void> {
  const { port, table, keys } = context;
  if (!exact) {
    const entries = heads.map(({ sequenceNr }) => ({ table, delete: keys.head(persistenceId, sequenceNr) }));
    await batchWrite(port, entries, { ...clientOptions(context, options), parallel: 4 });
    return;
  }
  for (let from = 0; from < heads.length; from += parallel) {
    const some = heads.slice(from, from + parallel);
    const ends = await Promise.allSettled(
      some.map((head) => deleteExactly(context, persistenceId, head, options)),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }
}

async function deleteExactly(
  context: SnapshotContext,
  persistenceId: string,
  head: HeadKey,
  options: CallOptions,
): Promise<void> {
  const outcome = await sendDelete(context, deleteHeadInput(context, persistenceId, head), options);
  // Replaced or deleted since it was read: the current item is another one.
  if (outcome.kind !== "conflict") unwrap(outcome);
}

/** A snapshot that is missing counts as deleted. */
function sendDelete(
  context: SnapshotContext,
  input: SettleDeleteInput,
  options: CallOptions,
): Promise<Outcome<unknown>> {
  return settleDelete(context.port, input, {
    ...clientOptions(context, options),
    treatMissingAsDeleted: true,
    resendInDoubt: true,
  });
}
