import { batchGet, isClientError } from "@tablekeep/client";
import { type CallOptions, type Item, linkSignals } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { clientOptions, type SnapshotContext } from "./snapshot-context.ts";

/** The description of its chunks in the head of a chunked snapshot. */
export interface ChunkedHead {
  /** Fresh with every save: chunks of two saves never mix. A decimal number of up to 37 digits. */
  readonly snapshotId: string;
  readonly chunkCount: number;
  readonly deflated: boolean;
  /** Bytes of the encoded state, unpacked. */
  readonly byteLength: number;
  /** The SHA-256 of the encoded state, unpacked. */
  readonly sha256: Uint8Array;
  /** The serializer of the state. */
  readonly serializerId: number;
  readonly manifest: string;
}

/**
 * Encodes the head with a serializer of our own. The original does not have it, so it fails instead of treating the
 * head as a state.
 */
export function encodeChunkedHead(head: ChunkedHead): EncodedPayload {
  const text = JSON.stringify({
    version: 1,
    snapshotId: head.snapshotId,
    chunks: head.chunkCount,
    deflated: head.deflated,
    bytes: head.byteLength,
    sha256: Buffer.from(head.sha256).toString("base64"),
    serializerId: head.serializerId,
    manifest: head.manifest,
  });
  return { serializerId: ownSerializers.chunked, manifest: "", bytes: Buffer.from(text) };
}

/** Reads a head; undefined if it is not one of ours. */
export function decodeChunkedHead({ bytes }: EncodedPayload): ChunkedHead | undefined {
  let stored: Record<string, unknown>;
  try {
    stored = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (typeof stored !== "object" || stored === null || stored["version"] !== 1) return undefined;
  const { snapshotId, chunks, deflated, bytes: byteLength, sha256, serializerId, manifest } = stored;
  if (typeof snapshotId !== "string" || !/^\d{1,38}$/.test(snapshotId)) return undefined;
  if (!isCount(chunks) || !isCount(byteLength) || typeof deflated !== "boolean") return undefined;
  if (typeof sha256 !== "string" || typeof manifest !== "string") return undefined;
  if (typeof serializerId !== "number" || serializerId !== (serializerId | 0)) return undefined;
  return {
    snapshotId,
    chunkCount: chunks,
    deflated,
    byteLength,
    sha256: Buffer.from(sha256, "base64"),
    serializerId,
    manifest,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** A chunk in the head's description is missing. */
export class ChunkMissing extends Error {}

/** How many chunks to fetch with one request: DynamoDB returns at most 16 MB. */
const batchChunks = 20;

/** Returns the bytes of a snapshot's chunks in order. The next batch is fetched while the current one is processed. */
export async function* readChunks(
  context: SnapshotContext,
  head: ChunkedHead,
  call: CallOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stopped = linkSignals(call.signal);
  const { signal } = stopped;
  const fetchFrom = (first: number) => {
    const batch = fetchChunks(context, head, first, { ...call, signal });
    // Its failure is reported when it is awaited.
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
          throw new ChunkMissing(`is missing chunk ${first + offset + 1} of ${head.chunkCount}`);
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
    return await batchGet(port, wanted, { ...clientOptions(context, call), consistent: true });
  } catch (error) {
    // The progress of a batch does not matter to the caller of a load; the reason of its failure does.
    throw isClientError(error, "CLIENT_BATCH_INCOMPLETE") ? (error.cause ?? error) : error;
  }
}
