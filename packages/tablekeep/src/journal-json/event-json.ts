import type { JournalEvent } from "@tablekeep/journal";
import { jsonValue } from "./json-value.ts";

/** An event as the program shows it, in the command line and over HTTP. */
export function eventJson(event: JournalEvent): object {
  const { persistenceId, sequenceNr, payload, serializerId, manifest, writerUuid, timestamp, tags } = event;
  return {
    persistenceId,
    sequenceNr,
    payload: jsonValue(payload),
    serializerId,
    manifest,
    writerUuid,
    timestamp,
    tags,
  };
}
