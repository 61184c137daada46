import { eventsInRange, type JournalEvent, type JournalReader } from "@tablekeep/journal";
import { eventJson } from "../../json/journal-json.ts";
import type { HttpExchange } from "../http/http-route.ts";
import { HttpError } from "../http/http-route.ts";
import { queryNumber } from "../http/requests.ts";

/** The maximum number of characters per page, whatever its limit: events can be large. */
const pageLength = 4 * 1024 * 1024;

/** Events of one id. */
export interface EventsPage {
  readonly events: readonly object[];
  /** The sequence number that the next page begins with: its `from`, or in descending order its `to`. Undefined at the end. */
  readonly next?: number;
}

/** Reads the requested page, in ascending or descending order from a sequence number. */
export async function eventsPage(
  exchange: HttpExchange,
  journal: JournalReader,
  persistenceId: string,
): Promise<EventsPage> {
  const { query, signal } = exchange;
  const from = queryNumber(exchange, "from", { min: 1, fallback: 1 });
  const to = queryNumber(exchange, "to", { min: 1, fallback: undefined });
  if (to !== undefined && from > to) throw new HttpError(400, `from must be at most to (${to}), got ${from}`);
  const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
  const order = query.get("order") || "asc";
  if (order !== "asc" && order !== "desc") throw new HttpError(400, "order must be asc or desc");
  if (order === "asc") {
    const range = { from, to: to ?? Number.POSITIVE_INFINITY, max: Number.POSITIVE_INFINITY, signal };
    return pageForward(eventsInRange(journal, persistenceId, range), limit);
  }
  const events = (first: number) => journal.replay(persistenceId, { from: first, signal });
  const [highest, lowest] = await Promise.all([
    journal.highestSequenceNr(persistenceId, { signal }),
    journal.lowestSequenceNr(persistenceId, { signal }),
  ]);
  return pageBack(events, { first: Math.max(from, lowest), last: Math.min(to ?? highest, highest), limit });
}

async function pageForward(source: AsyncIterable<JournalEvent>, limit: number): Promise<EventsPage> {
  const events: object[] = [];
  let length = 0;
  for await (const event of source) {
    if (events.length === limit || length > pageLength) return { events, next: event.sequenceNr };
    const shown = shownEvent(event);
    length += JSON.stringify(shown).length;
    events.push(shown);
  }
  return { events };
}

/**
 * Newest first. A journal can only be read forward, so this reads a range as long as the page. The end of the range is not
 * passed to the journal: that would leave out an atomic write that extends beyond it.
 */
async function pageBack(
  read: (from: number) => AsyncIterable<JournalEvent>,
  { first, last, limit }: { readonly first: number; readonly last: number; readonly limit: number },
): Promise<EventsPage> {
  const events: object[] = [];
  const begin = Math.max(first, last - limit + 1);
  if (begin > last) return { events };
  let length = 0;
  let lowest = begin;
  for await (const event of read(begin)) {
    if (event.sequenceNr > last) break;
    const shown = shownEvent(event);
    length += JSON.stringify(shown).length;
    events.unshift(shown);
    // If the page is too large, the oldest events move to the next page.
    while (length > pageLength && events.length > 1) {
      length -= JSON.stringify(events.pop()).length;
      lowest = (events.at(-1) as { sequenceNr: number }).sequenceNr;
    }
  }
  return { events, next: lowest > first ? lowest - 1 : undefined };
}

/** An event in the form of the API, which is that of the command line, with the format of its payload. */
export function shownEvent(event: JournalEvent): object {
  return { ...eventJson(event), payloadForm: formOf(event.payload) };
}

/** `json`, `bytes` in base64, or `unknown`: bytes of an unknown serializer. */
export function formOf(value: unknown): "json" | "bytes" | "unknown" {
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value !== "object" || value === null) return "json";
  return "serializerId" in value && "bytes" in value && value.bytes instanceof Uint8Array
    ? "unknown"
    : "json";
}
