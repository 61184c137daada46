import type { Clock } from "@tablekeep/core";
import type { Feed, FeedPlace, ReadFeedOptions } from "@tablekeep/feed";
import { feedTotals } from "../../../json/feed-json.ts";
import { feedRows } from "../../../json/feed-rows.ts";
import { type ServerSentEvent, sendEvents } from "../../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange, streamSignal } from "../../http/http-route.ts";
import {
  eventStream,
  jsonAnswer,
  limitParameter,
  listOf,
  objectOf,
  schemaNamed,
  text,
} from "../../http/openapi.ts";
import { queryNumber } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { type FindJournal, journalParameter, tags } from "../journal-request.ts";
import { feedPath, feedReading, lastParameter, readParameters, shownFeedEvent } from "./feed-request.ts";
import { feedSchema, statusSchema, verificationSchema } from "./feed-schemas.ts";
import type { SequencerState } from "./feed-sequencer.ts";
import { FeedVerifier } from "./feed-verifier.ts";
import type { ServedFeeds } from "./served-feeds.ts";

/** Dependencies of the routes of feeds. */
export interface FeedRoutesOptions {
  readonly find: FindJournal;
  readonly feeds: ServedFeeds;
  /** The state of the sequencer of a journal, if this server runs one. */
  readonly sequencerOf: (journal: string) => SequencerState | undefined;
  readonly clock: Clock;
}

/** The schemas that the routes name. */
export const feedSchemas: Readonly<Record<string, object>> = { FeedEvent: feedSchema };

/** The feed of a journal: its events across ids. */
export function feedRoutes(options: FeedRoutesOptions): ApiRoute[] {
  return [readStatus(options), readFeedEvents(options), followFeed(options), verifyFeed(options)];
}

async function feedOf({ find, feeds }: FeedRoutesOptions, exchange: HttpExchange): Promise<Feed> {
  return feeds.of(await find(exchange));
}

function readStatus(options: FeedRoutesOptions): ApiRoute {
  return {
    method: "GET",
    path: feedPath,
    access: "users",
    describe: {
      operationId: "readFeedStatus",
      summary: "Returns how far the feed of a journal is.",
      tags,
      parameters: [journalParameter],
      responses: { 200: jsonAnswer("State, lease, lag and positions.", statusSchema) },
    },
    async handle(exchange) {
      const served = await options.find(exchange);
      const feed = await options.feeds.of(served);
      const status = await feed.status({ signal: exchange.signal });
      const sequencer = options.sequencerOf(served.config.name);
      sendJson(exchange.response, 200, { ...status, ...feedTotals(status), ...(sequencer && { sequencer }) });
    },
  };
}

function readFeedEvents(options: FeedRoutesOptions): ApiRoute {
  const page = objectOf({
    events: listOf(schemaNamed("FeedEvent")),
    position: { ...text, description: "The from of the next page, including events to come." },
    more: { type: "boolean" },
  });
  return {
    method: "GET",
    path: `${feedPath}/events`,
    access: "users",
    describe: {
      operationId: "readFeed",
      summary: "Returns events of all persistence ids, those of an id in order.",
      tags,
      parameters: [journalParameter, ...readParameters, lastParameter, limitParameter(1000, 100)],
      responses: { 200: jsonAnswer("One page. more is false at the end of the feed.", page) },
    },
    async handle(exchange) {
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const reading = { ...feedReading(exchange), signal: exchange.signal };
      const last = queryNumber(exchange, "last", { min: 1, max: 1000, fallback: undefined });
      if (last !== undefined && exchange.query.get("from"))
        throw new HttpError(400, "last cannot be combined with from");
      const feed = await feedOf(options, exchange);
      const from = last === undefined ? reading.from : { last };
      sendJson(exchange.response, 200, await feedPage(feed, from ?? "start", reading, limit));
    },
  };
}

/** The maximum number of characters per page, whatever its limit: events can be large. */
const pageLength = 4 * 1024 * 1024;

async function feedPage(
  feed: Feed,
  from: FeedPlace,
  reading: ReadFeedOptions,
  limit: number,
): Promise<object> {
  const events: object[] = [];
  let length = 0;
  // Read before any event: events after the end are on the next page.
  let position = await feed.position(from, { signal: reading.signal });
  for await (const event of feedRows(feed, { ...reading, from: position })) {
    const shown = shownFeedEvent(event);
    events.push(shown);
    position = event.position;
    length += JSON.stringify(shown).length;
    if (events.length === limit || length > pageLength) return { events, position, more: true };
  }
  return { events, position, more: false };
}

function followFeed(options: FeedRoutesOptions): ApiRoute {
  return {
    method: "GET",
    path: `${feedPath}/live`,
    access: "users",
    describe: {
      operationId: "followFeed",
      summary: "Streams stored and new events of all persistence ids. The ids of the stream are positions.",
      tags,
      parameters: [journalParameter, ...readParameters],
      responses: { 200: eventStream },
    },
    async handle(exchange) {
      const reading = feedReading(exchange);
      const feed = await feedOf(options, exchange);
      // Throws if there is no such feed or position, while an error can still be answered: a stream could only end.
      const position = await feed.position(reading.from ?? "start", { signal: exchange.signal });
      await sendEvents(exchange, liveEvents(feed, reading, position, exchange), options.clock);
    },
  };
}

async function* liveEvents(
  feed: Feed,
  reading: ReadFeedOptions,
  position: string,
  exchange: HttpExchange,
): AsyncGenerator<ServerSentEvent | string, void, undefined> {
  const signal = streamSignal(exchange);
  // Without an id, a client that reconnects before the first event would begin at another end.
  if (reading.from === "end") yield `id: ${position}\n\n`;
  for await (const event of feedRows(feed, { ...reading, from: position, live: true, signal }))
    yield { event: "event", id: event.position, data: JSON.stringify(shownFeedEvent(event)) };
}

function verifyFeed(options: FeedRoutesOptions): ApiRoute {
  const verifier = new FeedVerifier(options.clock);
  return {
    method: "GET",
    path: `${feedPath}/verification`,
    access: "users",
    describe: {
      operationId: "verifyFeed",
      summary: "Compares the feed with the journal by reading both, one request at a time.",
      tags,
      parameters: [journalParameter],
      responses: {
        200: jsonAnswer("The counts, and the first findings.", verificationSchema),
        413: jsonAnswer("Too large to be compared here.", { type: "object" }),
        429: jsonAnswer("Another comparison is running.", { type: "object" }),
      },
    },
    async handle(exchange) {
      const feed = await options.feeds.forLongRead(await options.find(exchange));
      const signal = streamSignal(exchange);
      sendJson(exchange.response, 200, await verifier.verify(feed, signal));
    },
  };
}
