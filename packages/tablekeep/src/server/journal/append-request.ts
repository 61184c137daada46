import type { AtomicWrite, NewEvent } from "@tablekeep/journal";
import { HttpRefusal } from "../http/http-refusal.ts";

/** What the body of an append asks for. */
export interface AppendBody {
  readonly writes: readonly AtomicWrite[];
  readonly expected?: number | undefined;
}

const eventFields = new Set(["payload", "manifest", "tags", "metadata", "timestamp"]);

/** Understands `{ "events": [{ "payload": … }], "expected": 7, "atomic": true }`. */
export function parseAppend(body: unknown): AppendBody {
  const { events, expected, atomic = true, ...rest } = objectOf(body, "the body");
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(`there is no field ${JSON.stringify(unknown)}`);
  if (!Array.isArray(events) || events.length === 0)
    throw wrong("events must be a list of one or more events");
  if (expected !== undefined && (!Number.isSafeInteger(expected) || (expected as number) < 0))
    throw wrong("expected must be a whole number");
  if (typeof atomic !== "boolean") throw wrong("atomic must be true or false");
  const writes = events.map(parseEvent);
  return {
    writes: atomic && writes.length > 1 ? [writes] : writes,
    expected: expected as number | undefined,
  };
}

function parseEvent(given: unknown): NewEvent {
  const event = objectOf(given, "an event");
  const unknown = Object.keys(event).find((field) => !eventFields.has(field));
  if (unknown !== undefined) throw wrong(`an event has no field ${JSON.stringify(unknown)}`);
  const { payload, manifest, tags, metadata, timestamp } = event;
  if (payload === undefined) throw wrong("an event needs a payload");
  if (manifest !== undefined && typeof manifest !== "string") throw wrong("manifest must be text");
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === "string")))
    throw wrong("tags must be a list of texts");
  if (timestamp !== undefined && !Number.isSafeInteger(timestamp))
    throw wrong("timestamp must be milliseconds since 1970");
  return { payload, manifest, tags: tags as string[] | undefined, metadata, timestamp: timestamp as number };
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw wrong(`${what} must be an object`);
}

function wrong(message: string): HttpRefusal {
  return new HttpRefusal(400, message);
}
