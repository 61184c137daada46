import { waitWithin } from "@tablekeep/client";
import { type CallOptions, type Item, isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { type EncodedPayload, forgottenPayload, type PayloadPart } from "../codecs/codec.ts";
import { decompressPayload } from "../codecs/compression.ts";
import { serializerOf } from "../codecs/encrypted-envelope.ts";
import { attempt } from "../codecs/maybe-promise.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";
import { isJournalError, type JournalError } from "../errors/journal-error.ts";
import type { RowKey } from "../rows/row-attributes.ts";
import { decodeSnapshotRow, type SnapshotRow } from "../rows/snapshot-row.ts";
import { type ChunkedHead, ChunkMissing, decodeChunkedHead, readChunks } from "./chunked-head.ts";
import { ChunksDamaged, joinChunks } from "./chunks.ts";
import { headsDown, type SnapshotBounds } from "./find-heads.ts";
import { clientOptions, portOptions, type SnapshotContext } from "./snapshot-context.ts";
import { snapshotUnreadable } from "./snapshot-errors.ts";
import type { LoadSnapshotOptions, Snapshot } from "./snapshots.ts";

/** The result of reading a snapshot. */
export type ReadHead =
  | { readonly kind: "read"; readonly snapshot: Snapshot }
  /** It has expired, or its subject was forgotten: it counts as absent. */
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly error: JournalError<"JOURNAL_SNAPSHOT_UNREADABLE"> }
  /** The snapshot was replaced or deleted while its chunks were read: read again. */
  | ({ readonly kind: "moved" } & RowKey);

/** Reads the snapshot of a head. A failed request throws; a snapshot that cannot be decoded is `unreadable`. */
export async function readSnapshotItem(
  context: SnapshotContext,
  persistenceId: string,
  item: Item,
  call: CallOptions,
): Promise<ReadHead> {
  const key: RowKey = { persistenceId, sequenceNr: context.keys.sequenceNrOf(item) ?? Number.NaN };
  try {
    const row = understood(key, () => decodeSnapshotRow(item, key));
    if (row === undefined) throw snapshotUnreadable(key, "no-state", "has no state in its item");
    if (row.expiresAt !== undefined && row.expiresAt <= context.clock.now()) return { kind: "gone" };
    const payload = await wholePayload(context, key, row.payload, call);
    const snapshot = await decoded(context, row, payload, call);
    return snapshot === undefined ? { kind: "gone" } : { kind: "read", snapshot };
  } catch (error) {
    if (error instanceof ChunkMissing) return missing(context, key, item, error, call);
    if (!isUnreadable(error)) throw error;
    return { kind: "unreadable", error };
  }
}

/** Returns the encoded state, from the head itself, or fetched and decompressed. */
async function wholePayload(
  context: SnapshotContext,
  key: RowKey,
  payload: EncodedPayload,
  call: CallOptions,
): Promise<EncodedPayload> {
  const { maxSnapshotBytes } = context;
  const whole =
    payload.serializerId === ownSerializers.chunked ? await unchunked(context, key, payload, call) : payload;
  if (whole.serializerId !== ownSerializers.compressed) return whole;
  return understood(key, () => decompressPayload(whole.bytes, maxSnapshotBytes));
}

async function unchunked(
  context: SnapshotContext,
  key: RowKey,
  payload: EncodedPayload,
  call: CallOptions,
): Promise<EncodedPayload> {
  const head = decodeChunkedHead(payload);
  if (head === undefined) throw snapshotUnreadable(key, "head-corrupt", "has a head that cannot be read");
  if (head.byteLength > context.maxSnapshotBytes)
    throw snapshotUnreadable(key, "too-large", `has ${head.byteLength} bytes, more than maxSnapshotBytes`);
  const { serializerId, manifest } = head;
  return { serializerId, manifest, bytes: await joined(context, key, head, call) };
}

async function joined(
  context: SnapshotContext,
  key: RowKey,
  head: ChunkedHead,
  call: CallOptions,
): Promise<Uint8Array> {
  try {
    return await joinChunks(readChunks(context, head, call), head);
  } catch (error) {
    if (error instanceof ChunksDamaged) throw snapshotUnreadable(key, "chunks-corrupt", error.message, error);
    throw error;
  }
}

/** Decodes a snapshot; undefined if it was forgotten. */
async function decoded(
  context: SnapshotContext,
  row: SnapshotRow,
  payload: EncodedPayload,
  call: CallOptions,
): Promise<Snapshot | undefined> {
  const { persistenceId, sequenceNr, timestamp, metadata } = row;
  const decode = (encoded: EncodedPayload, part: PayloadPart) =>
    attempt(() => context.codecs.decode(encoded, { part, persistenceId, sequenceNr }));
  const decoding = decode(payload, "snapshot");
  const beside = metadata && decode(metadata, "snapshot-metadata");
  const within = async (value: unknown) =>
    value instanceof Promise ? waitWithin(clientOptions(context, call), value) : value;
  try {
    const state = await within(decoding);
    if (state === forgottenPayload) return undefined;
    return {
      persistenceId,
      sequenceNr,
      timestamp,
      state,
      serializerId: serializerOf(payload, state),
      serializerManifest: payload.manifest,
      ...(metadata !== undefined && { metadata: await within(beside) }),
    };
  } catch (error) {
    // What a codec waits for may fail: that says nothing about the snapshot.
    if (isTablekeepError(error) && (error.retryable || isOver(error))) throw error;
    throw notUnderstood(row, error);
  }
}

function isOver({ code }: TablekeepError): boolean {
  return code === "CLIENT_ABORTED" || code === "CLIENT_DEADLINE_EXCEEDED";
}

/** A missing chunk is damage only if its head still exists. */
async function missing(
  context: SnapshotContext,
  key: RowKey,
  item: Item,
  cause: ChunkMissing,
  call: CallOptions,
): Promise<ReadHead> {
  const { port, table, keys } = context;
  const Key = keys.head(key.persistenceId, key.sequenceNr);
  const { Item } = await port.getItem(
    { TableName: table, Key, ConsistentRead: true, ProjectionExpression: "sid" },
    portOptions(context, call),
  );
  if (Item?.["sid"]?.S !== item["sid"]?.S) return { kind: "moved", ...key };
  return { kind: "unreadable", error: snapshotUnreadable(key, "chunk-missing", cause.message, cause) };
}

/** Whatever a decoder throws, including a user's own, makes the snapshot unreadable. */
function understood<Value>(key: RowKey, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw notUnderstood(key, error);
  }
}

function notUnderstood(key: RowKey, error: unknown): JournalError<"JOURNAL_SNAPSHOT_UNREADABLE"> {
  const reason = reasonOf(error);
  const problem = isTablekeepError(error, "JOURNAL_PAYLOAD_TOO_LARGE") ? "too-large" : "undecodable";
  return snapshotUnreadable(key, problem, `cannot be read: ${reason}`, error);
}

/** What an attribute of an item lacks is said as such: its own error is that of an event, with other advice. */
function reasonOf(error: unknown): string {
  if (isJournalError(error, "JOURNAL_ROW_CORRUPT"))
    return `${error.details.attribute} ${error.details.reason}`;
  return error instanceof Error ? error.message : String(error);
}

function isUnreadable(error: unknown): error is JournalError<"JOURNAL_SNAPSHOT_UNREADABLE"> {
  return isTablekeepError(error, "JOURNAL_SNAPSHOT_UNREADABLE");
}

/** How many times a load starts again because its snapshot was replaced or deleted. */
const maxRounds = 10;

/** Loads the snapshot with the highest sequence number within bounds. */
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
    if (round === maxRounds)
      throw snapshotUnreadable(found, "replaced", "is replaced faster than it can be read");
  }
}

async function firstReadable(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  onUnreadable: LoadSnapshotOptions["onUnreadable"],
  call: CallOptions,
): Promise<Exclude<ReadHead, { kind: "unreadable" | "gone" }> | { kind: "read"; snapshot: undefined }> {
  let first: TablekeepError | undefined;
  for await (const item of headsDown(context, persistenceId, bounds, call)) {
    const head = await readSnapshotItem(context, persistenceId, item, call);
    if (head.kind === "gone") continue;
    if (head.kind !== "unreadable") return head;
    first ??= head.error;
    report(context, item, head.error);
    if (onUnreadable === "replay-all") return { kind: "read", snapshot: undefined };
    if (onUnreadable === "fail") break;
  }
  // Unreadable snapshots must not be reported as "none" here.
  if (first !== undefined) throw first;
  return { kind: "read", snapshot: undefined };
}

function report({ logger, table, keys }: SnapshotContext, item: Item, { code }: TablekeepError): void {
  const sequenceNr = keys.sequenceNrOf(item);
  logger.warn("could not read a snapshot", { table, key: item["par"]?.S, sequenceNr, code });
}
