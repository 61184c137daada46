import { isTablekeepError } from "@tablekeep/core";
import type { FeedEvent, FeedStatus, ReadFeedOptions, UnreadableEvent } from "@tablekeep/feed";
import { eventJson } from "./journal-json.ts";

/** Where a reading of a feed begins, from text: `start`, `end`, a time, or else a position. */
export function feedStart(text: string): NonNullable<ReadFeedOptions["from"]> {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? text : time;
}

/** A range of virtual slices from text, such as `0-255`; undefined if it is not one. */
export function sliceRange(text: string): ReadFeedOptions["slices"] {
  const [, from, to] = /^(\d{1,4})-(\d{1,4})$/.exec(text) ?? [];
  if (from === undefined || Number(from) > Number(to) || Number(to) > 1023) return undefined;
  return { from: Number(from), to: Number(to) };
}

/** An event of a feed as shown by the command line and over HTTP. */
export function feedEventJson(event: FeedEvent): object {
  const { position, slice, offset, late } = event;
  return { ...eventJson(event), position, slice, offset, ...(late && { late }) };
}

/** An event of a feed that cannot be read, as shown by the command line and over HTTP: its place, and `error` instead of a payload. */
export function unreadableJson(event: UnreadableEvent): object {
  const { persistenceId, sequenceNr, position, slice, offset, late } = event;
  const error = unreadableError(event);
  return { persistenceId, sequenceNr, error, position, slice, offset, ...(late && { late }) };
}

/** Why an event cannot be read. */
export function unreadableError({ error }: Pick<UnreadableEvent, "error">): {
  readonly code: string;
  readonly message: string;
} {
  const code = isTablekeepError(error) ? error.code : "INTERNAL";
  return { code, message: error instanceof Error ? error.message : String(error) };
}

/** The number of events and pages of a feed. */
export function feedTotals({ slices }: Pick<FeedStatus, "slices">): { events: number; pages: number } {
  let events = 0;
  let pages = 0;
  for (const slice of slices) {
    events += slice.events;
    pages += slice.pages;
  }
  return { events, pages };
}
