import { batchGet, batchWrite, queryItems, transactGet } from "@tablekeep/client";
import { type CallOptions, type Item, isDynamoError, type Key, type Update } from "@tablekeep/core";
import { clientOptions, portOptions, type SnapshotContext } from "./snapshot-context.ts";
import type { CollectedGarbage } from "./snapshots.ts";

/**
 * The record of one chunked save, in a partition that lists all of an id. It is written before the first chunk and goes
 * after the last, so that whatever is interrupted, its chunks can be found.
 *
 * - `open`: chunks are being written, until a time that is recorded too.
 * - `done`: committed in one transaction with the head. Needed exactly as long as the head names it.
 * - `dead`: given up by a collector before it was committed. It can never be committed.
 */
export type StageState = "open" | "done" | "dead";

export interface StageRow {
  readonly snapshotId: string;
  readonly sequenceNr: number;
  readonly state: StageState;
  /** How many chunks there may be. */
  readonly chunkCount: number;
  /** Milliseconds since 1970. Until then, an open stage is not abandoned. */
  readonly until: number;
}

/** The item of a new stage. */
export function stageItem(
  { keys }: SnapshotContext,
  persistenceId: string,
  { snapshotId, sequenceNr, state, chunkCount, until }: StageRow,
): Item {
  return {
    ...keys.stage(persistenceId, snapshotId),
    sid: { S: snapshotId },
    pid: { S: persistenceId },
    nr: { N: String(sequenceNr) },
    state: { S: state },
    chunks: { N: String(chunkCount) },
    until: { N: String(until) },
  };
}

/** Reads the item of a stage. */
function readStage(item: Item): StageRow {
  return {
    snapshotId: item["sid"]?.S ?? "",
    sequenceNr: Number(item["nr"]?.N),
    state: (item["state"]?.S ?? "open") as StageState,
    chunkCount: Number(item["chunks"]?.N ?? 0),
    until: Number(item["until"]?.N ?? 0),
  };
}

/** The part of the commit that ends the stage. It fails if a collector has abandoned the stage. */
export function commitStage(context: SnapshotContext, key: Key, chunkCount: number): Update {
  return {
    TableName: context.table,
    Key: key,
    UpdateExpression: "SET #state = :done, chunks = :chunks",
    ConditionExpression: "#state = :open",
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: {
      ":done": { S: "done" },
      ":open": { S: "open" },
      ":chunks": { N: String(chunkCount) },
    },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}

/** Abandons an open stage whose time is over. After that, no copy of its commit can succeed. */
function abandonStage(context: SnapshotContext, key: Key, now: number): Update {
  return {
    TableName: context.table,
    Key: key,
    UpdateExpression: "SET #state = :dead",
    ConditionExpression: "#state = :open AND #until < :now",
    ExpressionAttributeNames: { "#state": "state", "#until": "until" },
    ExpressionAttributeValues: { ":dead": { S: "dead" }, ":open": { S: "open" }, ":now": { N: String(now) } },
  };
}

/**
 * Removes the chunks that no head needs. A `done` stage was committed together with a head that names it; once the head
 * names another one, it never names this one again, since every save has its own id. An `open` stage is removed only
 * when its time is over, and is first made `dead`, so that it can no longer be committed.
 */
export async function collectGarbage(
  context: SnapshotContext,
  persistenceId: string,
  options: CallOptions,
): Promise<CollectedGarbage> {
  const stages = await readStages(context, persistenceId, options);
  const needed = await neededIds(context, persistenceId, stages, options);
  const collected = { snapshots: 0, chunks: 0 };
  for (const stage of stages) {
    if (stage.state === "done" && needed.has(stage.snapshotId)) continue;
    if (stage.state === "done" && !(await isReplaced(context, persistenceId, stage, options))) continue;
    if (stage.state === "open" && !(await abandoned(context, persistenceId, stage, options))) continue;
    await removeStage(context, persistenceId, stage, options);
    collected.snapshots += 1;
    collected.chunks += stage.chunkCount;
  }
  return collected;
}

async function readStages(
  context: SnapshotContext,
  persistenceId: string,
  options: CallOptions,
): Promise<StageRow[]> {
  const input = {
    TableName: context.table,
    KeyConditionExpression: "par = :par",
    ExpressionAttributeValues: { ":par": { S: context.keys.stages(persistenceId) } },
    ConsistentRead: true,
  };
  const stages: StageRow[] = [];
  for await (const item of queryItems(context.port, input, clientOptions(context, options))) {
    stages.push(readStage(item));
  }
  return stages;
}

/** Returns the ids in the visible heads. Of a commit in flight, the stage may be visible and the head not. */
async function neededIds(
  context: SnapshotContext,
  persistenceId: string,
  stages: readonly StageRow[],
  options: CallOptions,
): Promise<ReadonlySet<string>> {
  const numbers = new Set(stages.filter(({ state }) => state === "done").map(({ sequenceNr }) => sequenceNr));
  if (numbers.size === 0) return new Set();
  const { port, table, keys } = context;
  const heads = [...numbers].map((sequenceNr) => ({ table, key: keys.head(persistenceId, sequenceNr) }));
  const reading = { ...clientOptions(context, options), consistent: true, attributes: ["sid"] };
  const items = await batchGet(port, heads, reading);
  return new Set(items.flatMap((item) => item?.["sid"]?.S ?? []));
}

/**
 * Returns whether the head of a `done` stage names another one, or is gone. Both are read in one transaction, which
 * waits for a commit in flight: only then is a head that does not name the stage a later one.
 */
async function isReplaced(
  context: SnapshotContext,
  persistenceId: string,
  { snapshotId, sequenceNr }: StageRow,
  options: CallOptions,
): Promise<boolean> {
  const { port, table: TableName, keys } = context;
  const gets = [
    { TableName, Key: keys.stage(persistenceId, snapshotId) },
    { TableName, Key: keys.head(persistenceId, sequenceNr), ProjectionExpression: "sid" },
  ];
  const [stage, head] = await transactGet(port, gets, clientOptions(context, options));
  // If its stage is gone, another collector has removed it.
  return stage !== undefined && readStage(stage).state === "done" && head?.["sid"]?.S !== snapshotId;
}

/** Abandons an open stage. Returns false if its time is not over, or if its commit was first. */
async function abandoned(
  context: SnapshotContext,
  persistenceId: string,
  { snapshotId, until }: StageRow,
  options: CallOptions,
): Promise<boolean> {
  const now = context.clock.now();
  if (until >= now) return false;
  const update = abandonStage(context, context.keys.stage(persistenceId, snapshotId), now);
  try {
    // Another copy of this request may have made it dead; either way, it is.
    await context.port.updateItem(update, { ...portOptions(context, options), idempotent: true });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}

/** Chunks first, their record last: interrupted in between, the record still lists what is left. */
async function removeStage(
  context: SnapshotContext,
  persistenceId: string,
  { snapshotId, chunkCount }: StageRow,
  options: CallOptions,
): Promise<void> {
  await removeChunks(context, snapshotId, chunkCount, options);
  const { port, table, keys } = context;
  const Key = keys.stage(persistenceId, snapshotId);
  await port.deleteItem({ TableName: table, Key }, portOptions(context, options));
}

/** Removes the chunks of a snapshot that was never completed or was deleted. Missing chunks are ignored. */
export async function removeChunks(
  context: SnapshotContext,
  snapshotId: string,
  chunkCount: number,
  options: CallOptions,
): Promise<void> {
  const { port, table, keys } = context;
  const chunks = Array.from({ length: chunkCount }, (_, index) => ({
    table,
    delete: keys.chunk(snapshotId, index),
  }));
  await batchWrite(port, chunks, { ...clientOptions(context, options), parallel: 4 });
}
