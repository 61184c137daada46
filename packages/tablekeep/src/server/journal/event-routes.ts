import type { Clock, Outcome } from "@tablekeep/core";
import { isJournalError, type WrittenRange } from "@tablekeep/journal";
import { type ServerSentEvent, sendEvents } from "../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange, streamSignal } from "../http/http-route.ts";
import {
  eventStream,
  jsonAnswer,
  jsonBody,
  limitParameter,
  listOf,
  objectOf,
  queryParameter,
  schemaNamed,
  text,
} from "../http/openapi.ts";
import { queryNumber, readJson } from "../http/requests.ts";
import { errorHeaders, sendJson, statusOfKind } from "../http/responses.ts";
import { parseAppend } from "./event-writers.ts";
import { eventsPage, shownEvent } from "./events-page.ts";
import {
  type FindJournal,
  idOf,
  idParameter,
  idPath,
  journalParameter,
  sequenceNr,
  tags,
} from "./journal-request.ts";
import type { ServedJournal } from "./served-journals.ts";

const path = `${idPath}/events`;
const from = queryParameter("from", "The first sequence number.", sequenceNr);

/** The properties of an event. */
export const eventProperties: Readonly<Record<string, object>> = {
  id: text,
  persistenceId: text,
  sequenceNr,
  payload: { description: "64-bit integers are strings of digits; bytes are base64." },
  payloadForm: {
    enum: ["json", "bytes", "unknown"],
    description: "unknown: an object with the bytes of a serializer that this server does not know.",
  },
  gone: {
    enum: ["forgotten", "expired"],
    description: "Why the payload is no longer available; the payload is then null.",
  },
  serializerId: { type: "integer" },
  manifest: text,
  writerUuid: text,
  timestamp: { type: "integer", description: "Milliseconds since 1970." },
  tags: listOf(text),
  correlationId: text,
  causationId: text,
  metadata: {},
  expiresAt: { type: "integer", description: "Milliseconds since 1970." },
};

/** The events of one persistence id. */
export function eventRoutes(find: FindJournal, clock: Clock): ApiRoute[] {
  return [readEvents(find), followEvents(find, clock), appendEvents(find)];
}

function readEvents(find: FindJournal): ApiRoute {
  return {
    method: "GET",
    path,
    access: "users",
    describe: {
      operationId: "readEvents",
      summary: "Returns events of a persistence id, by sequence number.",
      tags,
      parameters: [
        journalParameter,
        idParameter,
        from,
        queryParameter("to", "The last sequence number.", sequenceNr),
        queryParameter("order", "desc returns the newest first.", { enum: ["asc", "desc"], default: "asc" }),
        limitParameter(1000, 100),
      ],
      responses: {
        200: jsonAnswer(
          "One page. next is the from of the next page, or its to with desc.",
          objectOf({ events: listOf(schemaNamed("JournalEvent")), next: sequenceNr }),
        ),
      },
    },
    async handle(exchange) {
      const { journal } = await find(exchange);
      sendJson(exchange.response, 200, await eventsPage(exchange, journal, idOf(exchange)));
    },
  };
}

function followEvents(find: FindJournal, clock: Clock): ApiRoute {
  return {
    method: "GET",
    path: `${path}/live`,
    access: "users",
    describe: {
      operationId: "followEvents",
      summary:
        "Streams stored and new events of a persistence id. The ids of the stream are sequence numbers.",
      tags,
      parameters: [journalParameter, idParameter, from],
      responses: { 200: eventStream },
    },
    async handle(exchange) {
      const events = liveEvents(exchange, await find(exchange), firstWanted(exchange));
      await sendEvents(exchange, events, clock);
    },
  };
}

/** The sequence number to follow from. A client that reconnects sends the last one it received. */
function firstWanted(exchange: HttpExchange): number {
  const given = queryNumber(exchange, "from", { min: 1, fallback: 1 });
  const next = Number(exchange.request.headers["last-event-id"]) + 1;
  return Number.isSafeInteger(next) && next > given ? next : given;
}

async function* liveEvents(
  exchange: HttpExchange,
  { journal }: ServedJournal,
  first: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const signal = streamSignal(exchange);
  for await (const event of journal.eventsById(idOf(exchange), { from: first, signal })) {
    yield { event: "event", id: String(event.sequenceNr), data: JSON.stringify(shownEvent(event)) };
  }
}

/** Events are sent as JSON, which is larger than their stored form. */
const appendBytes = 16 * 1024 * 1024;

const readOnly = "this journal was discovered and is read-only: configure it under journals to append to it";

const newEvent = {
  ...objectOf({
    payload: {},
    id: text,
    correlationId: text,
    causationId: text,
    manifest: text,
    tags: listOf(text),
    metadata: {},
    timestamp: { type: "integer" },
    expiresAt: {
      type: "integer",
      description: "Milliseconds since 1970; without it the event never expires.",
    },
  }),
  required: ["payload"],
};

const appendBody = {
  ...objectOf({
    events: listOf(newEvent),
    expected: {
      anyOf: [{ type: "integer", minimum: 0 }, { enum: ["none", "any"] }],
      default: "any",
      description: "Required highest sequence number before. none: the persistence id has no events.",
    },
    atomic: {
      type: "boolean",
      default: true,
      description: "Write all events or none. Must be true with an expected sequence number.",
    },
  }),
  required: ["events"],
};

const outcomes = objectOf({
  outcomes: listOf(
    objectOf({
      outcome: { enum: ["ok", "rejected", "conflict", "unknown"] },
      first: sequenceNr,
      last: sequenceNr,
      code: text,
      error: text,
      highest: { type: "integer", description: "With a conflict: the highest sequence number, if known." },
    }),
  ),
});

function appendEvents(find: FindJournal): ApiRoute {
  return {
    method: "POST",
    path,
    access: "users",
    describe: {
      operationId: "appendEvents",
      summary: "Appends events to a persistence id.",
      tags,
      parameters: [journalParameter, idParameter],
      requestBody: jsonBody(appendBody),
      responses: {
        200: jsonAnswer("All events are stored.", outcomes),
        409: jsonAnswer("Not stored: another writer was first.", outcomes),
        429: jsonAnswer("Not stored: too many appends to this id are waiting.", outcomes),
        504: jsonAnswer("No response in time: the events may be stored.", outcomes),
      },
    },
    async handle(exchange) {
      const { writers } = await find(exchange);
      if (writers === undefined) throw new HttpError(403, readOnly);
      const { signal, request, response } = exchange;
      const body = parseAppend(await readJson(request, appendBytes));
      sendOutcomes(response, await writers.append({ persistenceId: idOf(exchange), ...body, signal }));
    },
  };
}

/** All outcomes, with the status of the worst. An unknown outcome is never reported as a failure. */
function sendOutcomes(response: HttpExchange["response"], written: readonly Outcome<WrittenRange>[]): void {
  const shown = written.map((outcome) =>
    outcome.kind === "ok"
      ? { outcome: outcome.kind, ...outcome.value }
      : {
          outcome: outcome.kind,
          code: outcome.error.code,
          error: outcome.error.message,
          ...(isJournalError(outcome.error, "JOURNAL_CONFLICT") && {
            highest: outcome.error.details.highest,
          }),
        },
  );
  const status = Math.max(...written.map(statusOfOutcome));
  sendJson(response, status, { outcomes: shown }, errorHeaders(status));
}

function statusOfOutcome(outcome: Outcome<WrittenRange>): number {
  switch (outcome.kind) {
    case "ok":
      return 200;
    case "conflict":
      return 409;
    case "unknown":
      return 504;
    case "rejected":
      return statusOfKind[outcome.error.kind];
  }
}
