import type { JournalEvent } from "@tablekeep/journal";

/** The maximum depth of shown data. */
const maxDepth = 200;

/** A payload as JSON: 64-bit numbers are strings of digits, bytes are base64. */
export function jsonValue(value: unknown, depth = 0): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value ?? null;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (depth >= maxDepth) return "…";
  if (Array.isArray(value)) return value.map((member) => jsonValue(member, depth + 1));
  const entries = Object.entries(value).map(([name, member]) => [name, jsonValue(member, depth + 1)]);
  return Object.fromEntries(entries);
}

/** The payload of an event as one line of text: JSON, or why it is no longer available. */
export function payloadText({ payload, gone }: Pick<JournalEvent, "payload" | "gone">): string {
  return gone === undefined ? JSON.stringify(jsonValue(payload)) : `(${gone})`;
}

/** An event as shown by the command line and over HTTP. */
export function eventJson(event: JournalEvent): object {
  const { persistenceId, sequenceNr, payload, serializerId, manifest, writerUuid, timestamp, tags } = event;
  const { id, correlationId, causationId, metadata, gone, expiresAt } = event;
  return {
    id,
    persistenceId,
    sequenceNr,
    payload: jsonValue(payload),
    ...(gone !== undefined && { gone }),
    serializerId,
    manifest,
    writerUuid,
    timestamp,
    tags,
    ...(correlationId !== undefined && { correlationId }),
    ...(causationId !== undefined && { causationId }),
    ...(metadata !== undefined && { metadata: jsonValue(metadata) }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
