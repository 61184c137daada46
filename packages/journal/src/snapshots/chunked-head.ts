import type { EncodedPayload } from "../codecs/encoded-payload.ts";
import { ownSerializers } from "../codecs/serializer-ids.ts";

/** What the head of a chunked snapshot says of its chunks. */
export interface ChunkedHead {
  /** Fresh with every save: chunks of two saves never mix. A decimal number of up to 37 digits. */
  readonly snapshotId: string;
  readonly chunkCount: number;
  readonly deflated: boolean;
  /** Bytes of the encoded state, unpacked. */
  readonly byteLength: number;
  /** The SHA-256 of the encoded state, unpacked. */
  readonly sha256: Uint8Array;
  /** Who encoded the state. */
  readonly serializerId: number;
  readonly manifest: string;
}

/**
 * The head as a payload of a serializer of ours, so that the original, which does not know that, fails on it instead of
 * taking it for a state.
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

/** Reads a head; undefined if it is none of ours. */
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
