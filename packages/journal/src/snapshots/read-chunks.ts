import { batchGet, isClientError } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import type { ChunkedHead } from "./chunked-head.ts";
import { requestOptions, type SnapshotContext } from "./snapshot-context.ts";

/** A chunk that its head names is not there. */
export class ChunkMissing extends Error {}

/** Chunks that are fetched with one request: 16 MB is the most that DynamoDB answers with. */
const batchChunks = 20;

/** The bytes of a snapshot's chunks, in order. One batch is fetched ahead while the one before is taken. */
export async function* readChunks(
  context: SnapshotContext,
  head: ChunkedHead,
  call: CallOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stopped = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, stopped.signal]) : stopped.signal;
  const fetchFrom = (first: number) => {
    const batch = fetchChunks(context, head, first, { ...call, signal });
    // Its failure is heard when its turn comes.
    batch.catch(() => {});
    return batch;
  };
  try {
    let ahead = fetchFrom(0);
    for (let first = 0; first < head.chunkCount; first += batchChunks) {
      const items = await ahead;
      ahead = fetchFrom(first + batchChunks);
      for (const [offset, item] of items.entries()) {
        const bytes = item?.["data"]?.B;
        if (bytes === undefined)
          throw new ChunkMissing(`misses chunk ${first + offset + 1} of ${head.chunkCount}`);
        yield bytes;
      }
    }
  } finally {
    stopped.abort();
  }
}

async function fetchChunks(
  context: SnapshotContext,
  { snapshotId, chunkCount }: ChunkedHead,
  first: number,
  call: CallOptions,
): Promise<(Item | undefined)[]> {
  const { port, table, keys } = context;
  const count = Math.max(0, Math.min(batchChunks, chunkCount - first));
  const wanted = Array.from({ length: count }, (_, offset) => ({
    table,
    key: keys.chunk(snapshotId, first + offset),
  }));
  try {
    return await batchGet(port, wanted, { ...requestOptions(context, call), consistent: true });
  } catch (error) {
    // How far a batch came is nothing to the caller of a load; why it ended is.
    throw isClientError(error, "CLIENT_BATCH_INCOMPLETE") ? (error.cause ?? error) : error;
  }
}
