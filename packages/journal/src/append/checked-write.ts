import { optionCheck, validate } from "@tablekeep/core";
import { storedMetadata } from "../context/event-metadata.ts";
import type { AtomicWrite, NewEvent } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";

/** Returns the events of a write in the form to store. Throws for anything that is not an event, or does not match the schema. */
export function checkedWrite({ events: schema }: JournalContext, write: AtomicWrite): readonly NewEvent[] {
  const events: readonly NewEvent[] = Array.isArray(write) ? write : [write as NewEvent];
  if (events.length === 0) throw invalid("events", "must have at least one event");
  for (const event of events as readonly unknown[]) {
    // A nested array would not show what is atomic.
    if (Array.isArray(event))
      throw invalid("events", "must be an event or an array of events, got a nested array");
    if (typeof event !== "object" || event === null)
      throw invalid(
        "events",
        `must be an event or an array of events, got ${event === null ? "null" : typeof event}`,
      );
  }
  return events.map((event) => {
    checkMembers(event);
    return withStoredMetadata(withValidPayload(schema, event));
  });
}

const memberNames: Readonly<Record<keyof NewEvent, true>> = {
  payload: true,
  serializerId: true,
  serializerManifest: true,
  manifest: true,
  tags: true,
  id: true,
  correlationId: true,
  causationId: true,
  metadata: true,
  timestamp: true,
  expiresAt: true,
  sender: true,
};

/** Throws for a member that would not be stored. Undefined members are ignored. */
function checkMembers(event: NewEvent): void {
  for (const name in event) {
    if (Object.hasOwn(memberNames, name) || event[name as keyof NewEvent] === undefined) continue;
    const names = Object.keys(memberNames).join(", ");
    throw invalid(
      name,
      `is not a member of an event; expected ${names} (the application's data is in payload)`,
    );
  }
}

function withValidPayload(schema: JournalContext["events"], event: NewEvent): NewEvent {
  if (schema === undefined) return event;
  const validated = validate(schema, event.payload);
  if ("issues" in validated)
    throw invalid("payload", `does not match the schema of events: ${validated.issues.join("; ")}`);
  return { ...event, payload: validated.value };
}

const idNames = ["id", "correlationId", "causationId"] as const;

function withStoredMetadata(event: NewEvent): NewEvent {
  for (const name of idNames) {
    const reason = event[name] === undefined ? undefined : optionCheck.id(event[name]);
    if (reason !== undefined) throw invalid(name, reason);
  }
  const metadata = storedMetadata(event);
  return metadata === event.metadata ? event : { ...event, metadata };
}

function invalid(field: string, reason: string): JournalError<"JOURNAL_EVENT_INVALID"> {
  const subject = field === "events" ? "an atomic write" : `event: ${field}`;
  return new JournalError("JOURNAL_EVENT_INVALID", `${subject} ${reason}`, { field, reason });
}
