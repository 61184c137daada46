import { validate } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";

/** Decodes a payload, and validates it if the journal has a schema of events. */
export function readPayload(
  { codecs, events: schema }: JournalContext,
  { persistenceId, sequenceNr }: Pick<EventRow, "persistenceId" | "sequenceNr">,
  encoded: EncodedPayload,
): unknown {
  const payload = codecs.decode(encoded);
  if (schema === undefined) return payload;
  const validated = validate(schema, payload);
  if (!("issues" in validated)) return validated.value;
  const reason = validated.issues.join("; ");
  throw new JournalError(
    "JOURNAL_EVENT_UNEXPECTED",
    `${persistenceId}: event ${sequenceNr} does not match the schema of events: ${reason} (extend the schema, or read without it)`,
    { persistenceId, sequenceNr, reason },
  );
}
