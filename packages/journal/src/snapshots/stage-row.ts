import type { Item, Key, Update } from "@tablekeep/core";
import type { SnapshotContext } from "./snapshot-context.ts";

/**
 * The record of one chunked save, in a partition that lists all of an id. It is written before the first chunk and goes
 * after the last, so that whatever is cut off, its chunks can be found.
 *
 * - `open`: chunks are being written, until a time that is recorded too.
 * - `done`: committed in one transaction with the head. Needed exactly as long as the head names it.
 * - `dead`: given up by a collector before it was committed. It can never be committed any more.
 */
export type StageState = "open" | "done" | "dead";

export interface StageRow {
  readonly snapshotId: string;
  readonly sequenceNr: number;
  readonly state: StageState;
  /** How many chunks there may be. */
  readonly chunkCount: number;
  /** Milliseconds since 1970 until which an open one is left alone. */
  readonly until: number;
}

/** The item of a stage that begins. */
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
export function readStage(item: Item): StageRow {
  return {
    snapshotId: item["sid"]?.S ?? "",
    sequenceNr: Number(item["nr"]?.N),
    state: (item["state"]?.S ?? "open") as StageState,
    chunkCount: Number(item["chunks"]?.N ?? 0),
    until: Number(item["until"]?.N ?? 0),
  };
}

/** The part of the commit that ends the stage: it fails if a collector has given the stage up. */
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

/** Gives an open stage up whose time is over: after it no copy of its commit can succeed. */
export function abandonStage(context: SnapshotContext, key: Key, now: number): Update {
  return {
    TableName: context.table,
    Key: key,
    UpdateExpression: "SET #state = :dead",
    ConditionExpression: "#state = :open AND #until < :now",
    ExpressionAttributeNames: { "#state": "state", "#until": "until" },
    ExpressionAttributeValues: { ":dead": { S: "dead" }, ":open": { S: "open" }, ":now": { N: String(now) } },
  };
}
