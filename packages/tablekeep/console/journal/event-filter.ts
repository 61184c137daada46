import type { ShownEvent } from "./shown-event.ts";
import { eventType } from "./shown-event.ts";

/** The conditions of an event filter. All must match; case is ignored. */
export interface EventFilter {
  readonly types: readonly string[];
  readonly tags: readonly string[];
  /** Parts of the payload or the metadata, as JSON. */
  readonly texts: readonly string[];
}

const terms = /(?:(type|tag):)?(?:"([^"]*)"?|(\S+))/gi;

/** Parses a filter: words, and `type:` or `tag:` before a word. Quotes enclose a word with spaces. */
export function parseEventFilter(typed: string): EventFilter {
  const found = [...typed.toLowerCase().matchAll(terms)].map(([, field, quoted, word]) => ({
    field,
    value: quoted ?? word ?? "",
  }));
  const of = (field: string | undefined) =>
    found.filter((term) => term.field === field && term.value !== "").map(({ value }) => value);
  return { types: of("type"), tags: of("tag"), texts: of(undefined) };
}

/** Whether an event matches: types and texts contain the typed words; a tag must be equal to one. */
export function matchesFilter({ types, tags, texts }: EventFilter, event: ShownEvent): boolean {
  const type = eventType(event).toLowerCase();
  if (!types.every((each) => type.includes(each))) return false;
  const ownTags = new Set(event.tags.map((tag) => tag.toLowerCase()));
  if (!tags.every((tag) => ownTags.has(tag))) return false;
  if (texts.length === 0) return true;
  const text = `${type}\n${JSON.stringify([event.payload, event.metadata])}`.toLowerCase();
  return texts.every((each) => text.includes(each) || text.includes(JSON.stringify(each).slice(1, -1)));
}
