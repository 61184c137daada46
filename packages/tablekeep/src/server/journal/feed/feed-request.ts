import type { ReadFeedOptions } from "@tablekeep/feed";
import { feedEventJson, feedStart, sliceRange, unreadableJson } from "../../../json/feed-json.ts";
import { type FeedRow, isUnreadable } from "../../../json/feed-rows.ts";
import { HttpError, type HttpExchange } from "../../http/http-route.ts";
import { queryParameter, text } from "../../http/openapi.ts";
import { formOf } from "../events-page.ts";
import { journalsPath } from "../journal-request.ts";

/** The path of a journal's feed. */
export const feedPath: string = `${journalsPath}/:journal/feed`;

/** The parameters of all reads of a feed. */
export const readParameters: readonly object[] = [
  queryParameter("from", "start, end, a position, or a time such as 2026-11-16T08:00:00Z.", {
    type: "string",
    default: "start",
  }),
  queryParameter("type", "Entity type: what precedes the first | in the persistence id.", text),
  queryParameter("tag", "Tag that events must have.", text),
  queryParameter("slices", "Range of virtual slices within 0 and 1023, such as 0-255.", text),
];

/** Where the newest events begin. */
export const lastParameter: object = queryParameter(
  "last",
  "Begin this many events before the end of each slice of the feed, instead of at from.",
  { type: "integer", minimum: 1, maximum: 1000 },
);

/** The requested read. A client that reconnects to a stream sends the last position it received. */
export function feedReading({ query, request }: Pick<HttpExchange, "query" | "request">): ReadFeedOptions {
  const resumed = request.headers["last-event-id"];
  const from = typeof resumed === "string" && resumed !== "" ? resumed : query.get("from") || "start";
  const range = query.get("slices");
  const slices = range ? sliceRange(range) : undefined;
  if (range && slices === undefined)
    throw new HttpError(400, "slices must be a range within 0 and 1023, such as 0-255");
  const type = query.get("type");
  const tag = query.get("tag");
  return { from: feedStart(from), ...(type && { type }), ...(tag && { tag }), ...(slices && { slices }) };
}

/** An event of a feed in the form of the API, which is that of the command line, with the format of its payload. */
export function shownFeedEvent(event: FeedRow): object {
  if (isUnreadable(event)) return unreadableJson(event);
  return { ...feedEventJson(event), payloadForm: formOf(event.payload) };
}
