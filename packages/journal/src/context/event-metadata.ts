import { forgottenPayload } from "../codecs/codec.ts";
import type { EventIds, NewEvent } from "./journal.ts";

/**
 * Where ids of the caller are stored: in an object in place of the metadata, beside the metadata. Every layout, format
 * and tool stores metadata, and the original ignores it. The name tells such an object from metadata of the caller.
 */
const idsName = "tablekeep:ids";

interface StoredMetadata {
  readonly [idsName]: Partial<EventIds>;
  readonly metadata?: unknown;
}

/** Returns the metadata of an event in the form to store. */
export function storedMetadata({ id, correlationId, causationId, metadata }: NewEvent): unknown {
  const isPlain = id === undefined && correlationId === undefined && causationId === undefined;
  if (isPlain && !isStoredMetadata(metadata)) return metadata;
  const ids = {
    ...(id !== undefined && { id }),
    ...(correlationId !== undefined && { correlationId }),
    ...(causationId !== undefined && { causationId }),
  };
  return { [idsName]: ids, ...(metadata !== undefined && { metadata }) };
}

/** Returns the ids and the metadata of the caller. */
export function readMetadata(stored: unknown): Partial<EventIds> & { readonly metadata?: unknown } {
  if (stored === forgottenPayload) return {};
  if (!isStoredMetadata(stored)) return { metadata: stored };
  const { [idsName]: ids, metadata } = stored;
  return { ...ids, ...(metadata !== undefined && { metadata }) };
}

/** Divides stored metadata into the ids, if there are any, and the metadata of the caller. */
export function splitMetadata(stored: unknown): {
  readonly ids?: Partial<EventIds>;
  readonly metadata?: unknown;
} {
  if (!isStoredMetadata(stored)) return { metadata: stored };
  const { [idsName]: ids, metadata } = stored;
  return { ids, metadata };
}

/** Returns the inverse of {@link splitMetadata}. */
export function joinMetadata(ids: object, metadata: unknown): unknown {
  return { [idsName]: ids, ...(metadata !== undefined && { metadata }) };
}

function isStoredMetadata(value: unknown): value is StoredMetadata {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, idsName)) return false;
  const ids = (value as StoredMetadata)[idsName];
  return typeof ids === "object" && ids !== null;
}

/**
 * The id of an event that was stored without one. It is derived from what a copy of the journal keeps, so the event has
 * the same id there. Rows of the oldest plugin have no writer.
 */
export function derivedEventId(event: {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly writerUuid: string;
}): string {
  const { persistenceId, sequenceNr, writerUuid } = event;
  return writerUuid === "" ? `${persistenceId}#${sequenceNr}` : `${writerUuid}.${sequenceNr}`;
}
