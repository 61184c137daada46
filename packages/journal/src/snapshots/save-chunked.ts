import { type BatchWriteEntry, batchWriteStream, transactWrite } from "@tablekeep/client";
import { type CallOptions, type Item, isTablekeepError } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { encodeChunkedHead } from "./chunked-head.ts";
import { type ChunkShape, type ChunkStream, maxChunks } from "./chunks.ts";
import { commitStage, removeChunks, stageItem } from "./collect-garbage.ts";
import {
  chunkItem,
  clientOptions,
  type HeadDraft,
  headItem,
  portOptions,
  type SnapshotContext,
} from "./snapshot-context.ts";
import { snapshotNotSaved, snapshotUnknown } from "./snapshot-errors.ts";
import { newSnapshotId } from "./snapshot-keys.ts";

/** The bytes of a state that is being divided into chunks, some of them already read. */
export interface StartedChunks extends ChunkStream, ChunkShape {
  readonly ahead: readonly Uint8Array[];
}

/** Maximum number of chunks in one request, which bounds the data in flight. */
const batchChunks = 25;

/**
 * Saves a state in chunks: first a stage record, then the chunks, and last one transaction that puts the head and
 * closes the record. That is the commit point. If interrupted before it, the earlier snapshot is unchanged.
 */
export async function saveChunked(
  context: SnapshotContext,
  draft: HeadDraft,
  payload: EncodedPayload,
  stream: StartedChunks,
  call: CallOptions,
): Promise<void> {
  const snapshotId = newSnapshotId();
  let chunkCount: number;
  try {
    await putStage(context, draft, snapshotId, maxChunks(payload.bytes.length, stream), call);
    chunkCount = await putChunks(context, snapshotId, stream, call);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    // Whatever happened to the chunks, there is no snapshot without a head.
    throw snapshotNotSaved(draft, error);
  } finally {
    await stream.chunks.return();
  }
  const head = headItem(
    context,
    draft,
    encodeChunkedHead({
      snapshotId,
      chunkCount,
      deflated: stream.deflated,
      byteLength: payload.bytes.length,
      sha256: stream.sha256(),
      serializerId: payload.serializerId,
      manifest: payload.manifest,
    }),
  );
  await commit(context, draft, { snapshotId, chunkCount, head: { ...head, sid: { S: snapshotId } } }, call);
}

async function putStage(
  context: SnapshotContext,
  { persistenceId, sequenceNr }: HeadDraft,
  snapshotId: string,
  chunkCount: number,
  call: CallOptions,
): Promise<void> {
  const { deadlineMs = context.deadlineMs } = call;
  // Every request has a deadline, so no request of this save can be in flight after this time.
  const maxMs = deadlineMs * (Math.ceil(chunkCount / batchChunks) + 2);
  const until = Math.ceil(context.clock.now() + maxMs + context.garbageAfterMs);
  const Item = stageItem(context, persistenceId, {
    snapshotId,
    sequenceNr,
    state: "open",
    chunkCount,
    until,
  });
  await context.port.putItem({ TableName: context.table, Item }, portOptions(context, call));
}

async function putChunks(
  context: SnapshotContext,
  snapshotId: string,
  stream: StartedChunks,
  call: CallOptions,
): Promise<number> {
  const { port, table } = context;
  const entries = async function* (): AsyncGenerator<BatchWriteEntry> {
    let index = 0;
    for (const data of stream.ahead) yield { table, put: chunkItem(context, snapshotId, index++, data) };
    for await (const data of stream.chunks)
      yield { table, put: chunkItem(context, snapshotId, index++, data) };
  };
  const keyNames = { [table]: context.keys.names };
  const writing = { ...clientOptions(context, call), parallel: 2, keyNames };
  let count = 0;
  for await (const done of batchWriteStream(port, entries(), writing)) count += done.length;
  return count;
}

/** A save whose chunks are stored. */
interface WrittenChunks {
  readonly snapshotId: string;
  readonly chunkCount: number;
  readonly head: Item;
}

async function commit(
  context: SnapshotContext,
  draft: HeadDraft,
  { snapshotId, chunkCount, head }: WrittenChunks,
  call: CallOptions,
): Promise<void> {
  const { port, table, keys, logger } = context;
  const Update = commitStage(context, keys.stage(draft.persistenceId, snapshotId), chunkCount);
  const outcome = await transactWrite(port, [{ Put: { TableName: table, Item: head } }, { Update }], {
    ...clientOptions(context, call),
    // Only this save closes the record, so its write id is proof, even after the head was replaced again.
    writeId: { attribute: "wid", id: draft.writeId, on: [1], keyNames: { [table]: keys.names } },
    attribution: (current) => (current?.["state"]?.S === "dead" ? "theirs" : "unclear"),
    logger,
  });
  if (outcome.kind === "ok") return;
  if (outcome.kind === "unknown") throw snapshotUnknown(draft, outcome.error);
  if (outcome.kind === "conflict") await removeOwn(context, snapshotId, chunkCount, call);
  throw snapshotNotSaved(draft, outcome.error);
}

/** A collector has removed the save; only this save can find the chunks that it wrote after that. */
async function removeOwn(
  context: SnapshotContext,
  snapshotId: string,
  chunkCount: number,
  call: CallOptions,
): Promise<void> {
  try {
    await removeChunks(context, snapshotId, chunkCount, call);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    context.logger.warn("could not remove the chunks of an abandoned save", {
      snapshotId,
      chunkCount,
      code: error.code,
    });
  }
}
