import { isTablekeepError } from "@tablekeep/core";
import type { Codecs } from "../../codecs/codec.ts";
import type { JournalContext } from "../../context/journal-context.ts";
import type { EventRow } from "../../rows/event-row.ts";
import { isByAkka } from "../copy/akka-readable.ts";
import { base64, bytesToText, type ExportedEvent, isJsonSafe } from "./export-format.ts";

/** An event as a line of an export. */
export function exportedEvent(context: JournalContext, row: EventRow): ExportedEvent {
  const { payload, timestamp, metadata, batch, deleted, confirmations, sender, expiresAt } = row;
  return {
    persistenceId: row.persistenceId,
    sequenceNr: row.sequenceNr,
    ...readable(context.codecs, row),
    serializerId: payload.serializerId,
    serializerManifest: payload.manifest,
    bytes: base64(payload.bytes),
    manifest: row.manifest,
    writerUuid: row.writerUuid,
    ...(timestamp !== undefined && { timestamp }),
    tags: row.tags,
    ...(metadata !== undefined && { metadata: bytesToText(metadata) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(batch !== undefined && { batch: [batch.index, batch.lastIndex] as const }),
    ...(deleted === true && { deleted }),
    ...(confirmations !== undefined && { confirmations }),
    ...(sender !== undefined && { sender }),
    ...(isByAkka(context, row) && { byAkka: true as const }),
  };
}

function readable(codecs: Codecs, { payload: encoded }: EventRow): { readonly payload?: unknown } {
  try {
    const payload = codecs.decode(encoded);
    // The readable form is only for people: what takes longer is left out.
    if (payload instanceof Promise) {
      payload.catch(() => {});
      return {};
    }
    return isJsonSafe(payload) ? { payload } : {};
  } catch (error) {
    // Its bytes are exported anyway.
    if (isTablekeepError(error)) return {};
    throw error;
  }
}
