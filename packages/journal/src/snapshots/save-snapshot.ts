import { itemSize, newWriteId, settlePut, waitWithin } from "@tablekeep/client";
import { type CallOptions, type Item, unwrap } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { packedPayload } from "../codecs/compression.ts";
import { attempt, type MaybePromise } from "../codecs/maybe-promise.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { cutIntoChunks } from "./chunks.ts";
import { saveChunked } from "./save-chunked.ts";
import {
  chunkBytes,
  clientOptions,
  type HeadDraft,
  headItem,
  type SnapshotContext,
} from "./snapshot-context.ts";
import { snapshotTooLarge } from "./snapshot-errors.ts";
import type { SaveSnapshotOptions, SnapshotMetadata } from "./snapshots.ts";

/** A saved snapshot, and the work that is left. */
export interface SavedSnapshot {
  readonly metadata: SnapshotMetadata;
  /** Whether the save may have turned chunks into garbage. */
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
  const { metadata, serializerId, serializerManifest, expiresAt, ...call } = options;
  const { codecs } = context;
  const place = { persistenceId, sequenceNr, content: state };
  const encoding = codecs.encode(
    state,
    {
      ...(serializerId !== undefined && { serializerId }),
      ...(serializerManifest !== undefined && { manifest: serializerManifest }),
    },
    { part: "snapshot", ...place },
  );
  const beside =
    metadata === undefined
      ? undefined
      : attempt(() => codecs.encode(metadata, {}, { part: "snapshot-metadata", ...place }));
  const payload = await waitFor(context, encoding, call);
  const draft: HeadDraft = {
    persistenceId,
    sequenceNr,
    timestamp: Math.trunc(context.clock.now()),
    writeId: newWriteId(),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(beside !== undefined && { metadata: await waitFor(context, beside, call) }),
  };
  const garbage = await saveEncoded(context, draft, payload, call);
  return { metadata: { persistenceId, sequenceNr, timestamp: draft.timestamp }, garbage };
}

const { compressed, encrypted } = ownSerializers;

/** An encoded payload, if it is there within the deadline. */
async function waitFor(
  context: SnapshotContext,
  payload: MaybePromise<EncodedPayload>,
  call: CallOptions,
): Promise<EncodedPayload> {
  return payload instanceof Promise ? waitWithin(clientOptions(context, call), payload) : payload;
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

  // What is encrypted does not become smaller.
  const isDense = payload.serializerId === compressed || payload.serializerId === encrypted;
  const deflated = compression !== "never" && !isDense;
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

/** Returns a head with the whole snapshot; undefined if that is too large. */
function fitting(context: SnapshotContext, draft: HeadDraft, payload: EncodedPayload): Item | undefined {
  const item = headItem(context, draft, payload);
  return itemSize(item) <= context.maxHeadSize ? item : undefined;
}

/**
 * Puts a snapshot of one item. Returns whether chunks may have become garbage: those of a chunked snapshot that it
 * replaced. After a lost answer, that is unknown.
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
      ...clientOptions(context, call),
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
