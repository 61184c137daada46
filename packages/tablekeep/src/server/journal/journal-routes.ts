import type { Clock, Outcome } from "@tablekeep/core";
import { snapshotTableSpec, type WrittenRange } from "@tablekeep/journal";
import { journalStats } from "@tablekeep/journal/tools";
import { jsonValue } from "../../json/journal-json.ts";
import type { Backend } from "../backend/open-backend.ts";
import { type ServerSentEvent, sendEvents } from "../http/event-stream.ts";
import type { HttpExchange, HttpRoute } from "../http/http-route.ts";
import { HttpError } from "../http/http-route.ts";
import { queryNumber, readJson } from "../http/requests.ts";
import { sendJson, statusOfKind } from "../http/responses.ts";
import { parseAppend } from "./event-writers.ts";
import { eventsPage, formOf, shownEvent } from "./events-page.ts";
import { journalOperations } from "./journal-operations.ts";
import type { ServedJournals } from "./served-journals.ts";
import { type ServedJournal, tableOf } from "./served-journals.ts";

/** Events are sent as JSON, which is larger than their stored form. */
const appendBytes = 16 * 1024 * 1024;

const base = "/api/v3/journals";

/** The journal API. */
export function journalRoutes(journals: ServedJournals, backend: Backend, clock: Clock): HttpRoute[] {
  const named = ({ params, signal }: HttpExchange) => journals.named(params["journal"] ?? "", signal);
  return [
    {
      method: "GET",
      path: base,
      describe: journalOperations.listJournals,
      async handle({ response, signal }) {
        sendJson(response, 200, { journals: (await journals.list(signal)).map(describe) });
      },
    },
    {
      method: "GET",
      path: `${base}/:journal/stats`,
      describe: journalOperations.countJournal,
      async handle(exchange) {
        const { config } = await named(exchange);
        const { signal } = exchange;
        const persistenceId = exchange.query.get("id") ?? undefined;
        const stats = await journalStats(backend.port, config.journal ?? {}, { signal, persistenceId });
        sendJson(exchange.response, 200, stats);
      },
    },
    {
      method: "GET",
      path: `${base}/:journal/ids`,
      describe: journalOperations.listPersistenceIds,
      handle: async (exchange) => sendIds(exchange, await named(exchange)),
    },
    {
      method: "GET",
      path: `${base}/:journal/ids/:id`,
      describe: journalOperations.readPosition,
      handle: async (exchange) => sendPosition(exchange, await named(exchange)),
    },
    {
      method: "GET",
      path: `${base}/:journal/ids/:id/events`,
      describe: journalOperations.readEvents,
      async handle(exchange) {
        const { journal } = await named(exchange);
        sendJson(exchange.response, 200, await eventsPage(exchange, journal, idOf(exchange)));
      },
    },
    {
      method: "GET",
      path: `${base}/:journal/ids/:id/events/live`,
      describe: journalOperations.followEvents,
      handle: async (exchange) =>
        sendEvents(exchange, liveEvents(exchange, await named(exchange), firstWanted(exchange)), clock),
    },
    {
      method: "POST",
      path: `${base}/:journal/ids/:id/events`,
      describe: journalOperations.appendEvents,
      async handle(exchange) {
        const { writers } = await named(exchange);
        if (writers === undefined) throw new HttpError(403, onlyRead);
        const { signal, request, response } = exchange;
        const body = parseAppend(await readJson(request, appendBytes));
        sendOutcomes(response, await writers.append({ persistenceId: idOf(exchange), ...body, signal }));
      },
    },
    {
      method: "GET",
      path: `${base}/:journal/ids/:id/snapshots`,
      describe: journalOperations.listSnapshots,
      handle: async (exchange) => sendSnapshots(exchange, await named(exchange)),
    },
    {
      method: "GET",
      path: `${base}/:journal/ids/:id/snapshots/:sequenceNr`,
      describe: journalOperations.readSnapshot,
      handle: async (exchange) => sendSnapshot(exchange, await named(exchange)),
    },
  ];
}

const onlyRead =
  "this journal was discovered, and is only read: add it to the journals of the configuration to append to it";

function describe(served: ServedJournal): object {
  const { name, journal: { layout = "bucketed" } = {}, snapshotTable } = served.config;
  return {
    name,
    table: tableOf(served),
    layout,
    snapshotTable: snapshotTableSpec(snapshotTable).name,
    ...(served.writers === undefined && { discovered: true }),
  };
}

function idOf({ params }: HttpExchange): string {
  return params["id"] ?? "";
}

/** A prefix may match few ids: after this many the page ends, and the caller decides whether to continue. */
const maxIdsLookedAt = 20_000;

async function sendIds(exchange: HttpExchange, { journal }: ServedJournal): Promise<void> {
  const { query, response, signal } = exchange;
  const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
  const prefix = query.get("prefix") ?? "";
  const after = query.get("after") || undefined;
  const ids: string[] = [];
  let next: string | undefined;
  let lookedAt = 0;
  for await (const known of journal.currentPersistenceIds({ after, signal })) {
    if (known.persistenceId.startsWith(prefix)) ids.push(known.persistenceId);
    next = known.cursor;
    if (ids.length === limit || ++lookedAt === maxIdsLookedAt) {
      sendJson(response, 200, { ids, next });
      return;
    }
  }
  sendJson(response, 200, { ids });
}

async function sendPosition(exchange: HttpExchange, { journal }: ServedJournal): Promise<void> {
  const { response, signal } = exchange;
  const persistenceId = idOf(exchange);
  const [highestSequenceNr, lowestSequenceNr] = await Promise.all([
    journal.highestSequenceNr(persistenceId, { signal }),
    journal.lowestSequenceNr(persistenceId, { signal }),
  ]);
  sendJson(response, 200, { persistenceId, highestSequenceNr, lowestSequenceNr });
}

/** The sequence number to follow from. A client that reconnects sends the last one it received. */
function firstWanted(exchange: HttpExchange): number {
  const asked = queryNumber(exchange, "from", { min: 1, fallback: 1 });
  const next = Number(exchange.request.headers["last-event-id"]) + 1;
  return Number.isSafeInteger(next) && next > asked ? next : asked;
}

async function* liveEvents(
  exchange: HttpExchange,
  { journal }: ServedJournal,
  from: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { signal, stopping } = exchange;
  const until = AbortSignal.any([signal, stopping]);
  for await (const event of journal.eventsById(idOf(exchange), { from, signal: until })) {
    yield { event: "event", id: String(event.sequenceNr), data: JSON.stringify(shownEvent(event)) };
  }
}

/** All outcomes, with the status of the worst. An unknown outcome is never reported as a failure. */
function sendOutcomes(response: HttpExchange["response"], outcomes: readonly Outcome<WrittenRange>[]): void {
  const shown = outcomes.map((outcome) =>
    outcome.kind === "ok"
      ? { outcome: outcome.kind, ...outcome.value }
      : { outcome: outcome.kind, code: outcome.error.code, error: outcome.error.message },
  );
  sendJson(response, Math.max(...outcomes.map(statusOfOutcome)), { outcomes: shown });
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

async function sendSnapshots(exchange: HttpExchange, { snapshots }: ServedJournal): Promise<void> {
  const { response, signal } = exchange;
  const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
  const minSequenceNr = queryNumber(exchange, "from", { fallback: 0 });
  const found: object[] = [];
  for await (const { sequenceNr, timestamp } of snapshots.list(
    idOf(exchange),
    { minSequenceNr },
    { signal },
  )) {
    if (found.length === limit) {
      sendJson(response, 200, { snapshots: found, next: sequenceNr });
      return;
    }
    found.push({ sequenceNr, timestamp });
  }
  sendJson(response, 200, { snapshots: found });
}

async function sendSnapshot(exchange: HttpExchange, { snapshots }: ServedJournal): Promise<void> {
  const { params, response, signal } = exchange;
  const number = params["sequenceNr"] ?? "";
  const sequenceNr = Number(number);
  if (number !== "latest" && !/^\d{1,16}$/.test(number))
    throw new HttpError(400, "expected a sequence number or latest");
  const criteria = number === "latest" ? {} : { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
  const found = await snapshots.load(idOf(exchange), criteria, { signal });
  if (found === undefined) throw new HttpError(404, "no such snapshot");
  sendJson(response, 200, {
    ...found,
    state: jsonValue(found.state),
    stateForm: formOf(found.state),
    metadata: jsonValue(found.metadata),
  });
}
