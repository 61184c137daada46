import { itemSize, newWriteId, settlePut } from "@tablekeep/client";
import { type CallOptions, type Item, unwrap } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { packedPayload } from "../codecs/compression.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { cutIntoChunks } from "./chunks.ts";
import { saveChunked } from "./save-chunked.ts";
import {
  chunkBytes,
  type HeadDraft,
  headItem,
  requestOptions,
  type SnapshotContext,
} from "./snapshot-context.ts";
import { snapshotTooLarge } from "./snapshot-refusals.ts";
import type { SaveSnapshotOptions, SnapshotMetadata } from "./snapshots.ts";

/** A snapshot that was saved, and what it leaves to do. */
export interface SavedSnapshot {
  readonly metadata: SnapshotMetadata;
  /** Whether chunks may have become garbage by it. */
  readonly garbage: boolean;
}

/** Saves a state: in one item if it fits, compressed in one item if that fits, in chunks otherwise. */
export async function saveSnapshot(
  context: SnapshotContext,
  persistenceId: string,
  sequenceNr: number,
  state: unknown,
  options: SaveSnapshotOptions,
): Promise<SavedSnapshot> {
  const { metadata, serializerId, serializerManifest, ...call } = options;
  const payload = context.codecs.encode(state, {
    ...(serializerId !== undefined && { serializerId }),
    ...(serializerManifest !== undefined && { manifest: serializerManifest }),
  });
  const draft: HeadDraft = {
    persistenceId,
    sequenceNr,
    timestamp: Math.trunc(context.clock.now()),
    writeId: newWriteId(),
    ...(metadata !== undefined && { metadata: context.codecs.encode(metadata) }),
  };
  const garbage = await saveEncoded(context, draft, payload, call);
  return { metadata: { persistenceId, sequenceNr, timestamp: draft.timestamp }, garbage };
}

async function saveEncoded(
  context: SnapshotContext,
  draft: HeadDraft,
  payload: EncodedPayload,
  call: CallOptions,
): Promise<boolean> {
  const { compression, maxHeadSize, maxSnapshotBytes } = context;
  const byteLength = payload.bytes.length;
  const plain = byteLength > maxHeadSize ? undefined : fitting(context, draft, payload);
  if (plain !== undefined && compression !== "always") return putHead(context, draft, plain, call);
  if (byteLength > maxSnapshotBytes)
    throw snapshotTooLarge(draft, byteLength, maxSnapshotBytes, "maxSnapshotBytes");

  const deflated = compression !== "never" && payload.serializerId !== ownSerializers.compressed;
  const shape = { deflated, chunkBytes: chunkBytes(context) };
  const stream = cutIntoChunks(payload.bytes, shape);
  const first = await stream.chunks.next();
  const second = await stream.chunks.next();
  const ahead = [first, second].flatMap(({ done, value }) => (done === true ? [] : [value]));
  if (deflated && ahead.length === 1) {
    const packed = packedPayload(payload, ahead[0] ?? new Uint8Array());
    const item = packed && fitting(context, draft, packed);
    if (item !== undefined && (plain === undefined || itemSize(item) < itemSize(plain)))
      return putHead(context, draft, item, call);
  }
  if (plain === undefined && context.chunking) {
    await saveChunked(context, draft, payload, { ...stream, ahead, ...shape }, call);
    return true;
  }
  await stream.chunks.return();
  if (plain !== undefined) return putHead(context, draft, plain, call);
  throw snapshotTooLarge(draft, byteLength, maxHeadSize, "maxItemSize");
}

/** The head that holds the whole snapshot; undefined if that is too large. */
function fitting(context: SnapshotContext, draft: HeadDraft, payload: EncodedPayload): Item | undefined {
  const item = headItem(context, draft, payload);
  return itemSize(item) <= context.maxHeadSize ? item : undefined;
}

/**
 * Puts a snapshot that is one item. Returns whether chunks may have become garbage: those of a chunked snapshot that it
 * replaced. After a lost answer it is unknown what it replaced.
 */
async function putHead(
  context: SnapshotContext,
  { writeId }: HeadDraft,
  item: Item,
  call: CallOptions,
): Promise<boolean> {
  const { port, table } = context;
  const outcome = await settlePut(
    port,
    { TableName: table, Item: item, ReturnValues: "ALL_OLD" },
    {
      ...requestOptions(context, call),
      keyNames: context.keys.names,
      writeIdAttribute: "wid",
      writeId,
      // Another client that writes this key saves a snapshot of the same sequence number: either may win.
      resendInDoubt: true,
    },
  );
  const { attributes, found } = unwrap(outcome);
  return found || attributes?.["sid"] !== undefined;
}
