import type { Clock } from "@tablekeep/core";
import { listIds } from "@tablekeep/journal";
import { journalStats } from "@tablekeep/journal/tools";
import type { Backend } from "../backend/open-backend.ts";
import { portWithTurns } from "../backend/port-with-turns.ts";
import type { EntityFolds } from "../entity-folds/entity-folds.ts";
import type { ApiRoute, HttpExchange } from "../http/http-route.ts";
import { jsonAnswer, limitParameter, listOf, objectOf, queryParameter, text } from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { eventProperties, eventRoutes } from "./event-routes.ts";
import {
  type FindJournal,
  idOf,
  idParameter,
  idPath,
  journalParameter,
  journalsPath,
  tags,
} from "./journal-request.ts";
import { repairRoutes } from "./repair-routes.ts";
import { type ServedJournal, type ServedJournals, snapshotTableOf, tableOf } from "./served-journals.ts";
import { snapshotRoutes } from "./snapshot-routes.ts";
import { stateRoute } from "./state-route.ts";

/** The schemas that the routes name. */
export const journalSchemas: Readonly<Record<string, object>> = { JournalEvent: objectOf(eventProperties) };

/** The journal API. `folds` is undefined if the server has no definitions of entities. */
export function journalRoutes(
  journals: ServedJournals,
  backend: Backend,
  folds: EntityFolds | undefined,
  clock: Clock,
): ApiRoute[] {
  const find: FindJournal = ({ params, signal }) => journals.named(params["journal"] ?? "", signal);
  return [
    listJournals(journals, folds),
    countJournal(find, backend),
    listPersistenceIds(find),
    readPosition(find),
    ...eventRoutes(find, clock),
    ...snapshotRoutes(find),
    stateRoute(find, folds),
    ...repairRoutes(find, backend.port, clock),
  ];
}

function listJournals(journals: ServedJournals, folds: EntityFolds | undefined): ApiRoute {
  return {
    method: "GET",
    path: journalsPath,
    access: "users",
    describe: {
      operationId: "listJournals",
      summary: "Lists the journals of this server.",
      tags,
      responses: {
        200: jsonAnswer("Names, tables and layouts, and the types of registered entities.", {
          type: "object",
        }),
      },
    },
    async handle({ response, signal }) {
      const found = await journals.list(signal);
      sendJson(response, 200, { journals: found.map((served) => journalJson(served, folds?.types)) });
    },
  };
}

function journalJson(served: ServedJournal, entities: readonly string[] | undefined): object {
  const { name } = served.config;
  return {
    name,
    table: tableOf(served),
    layout: served.journal.layout,
    snapshotTable: snapshotTableOf(served),
    ...(served.writers === undefined && { discovered: true }),
    ...(entities !== undefined && { entities }),
  };
}

function countJournal(find: FindJournal, backend: Backend): ApiRoute {
  return {
    method: "GET",
    path: `${journalsPath}/:journal/stats`,
    access: "users",
    describe: {
      operationId: "countJournal",
      summary: "Counts the contents of a journal by reading its table once, or those of one id.",
      tags,
      parameters: [journalParameter, queryParameter("id", "Only this persistence id.", text)],
      responses: { 200: jsonAnswer("The counts.", { type: "object" }) },
    },
    async handle(exchange) {
      const { config } = await find(exchange);
      const { query, response, signal } = exchange;
      const persistenceId = query.get("id") ?? undefined;
      const stats = await journalStats(portWithTurns(backend.port), config.journal ?? {}, {
        signal,
        persistenceId,
      });
      sendJson(response, 200, stats);
    },
  };
}

function listPersistenceIds(find: FindJournal): ApiRoute {
  return {
    method: "GET",
    path: `${journalsPath}/:journal/ids`,
    access: "users",
    describe: {
      operationId: "listPersistenceIds",
      summary: "Lists the persistence ids of a journal.",
      tags,
      parameters: [
        journalParameter,
        limitParameter(1000, 100),
        queryParameter("prefix", "Only ids with this prefix.", text),
        queryParameter("after", "The next of the previous page.", text),
      ],
      responses: {
        200: jsonAnswer(
          "One page, which may be empty. next is present if there may be more, and scan if the rows of the table were read because the journal's registry may not have all ids.",
          objectOf({ ids: listOf(text), next: text, scan: { type: "boolean" } }),
        ),
      },
    },
    handle: async (exchange) => sendIds(exchange, await find(exchange)),
  };
}

async function sendIds(exchange: HttpExchange, { journal }: ServedJournal): Promise<void> {
  const { query, response, signal } = exchange;
  const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
  const prefix = query.get("prefix") ?? "";
  const after = query.get("after") || undefined;
  const page = await listIds(journal, { limit, prefix, after, signal });
  const ids = page.ids.map(({ persistenceId }) => persistenceId);
  sendJson(response, 200, { ids, next: page.next, ...(page.isScan && { scan: true }) });
}

function readPosition(find: FindJournal): ApiRoute {
  const position = objectOf({
    persistenceId: text,
    highestSequenceNr: { type: "integer" },
    lowestSequenceNr: { type: "integer" },
  });
  return {
    method: "GET",
    path: idPath,
    access: "users",
    describe: {
      operationId: "readPosition",
      summary: "Returns the highest and lowest sequence number of a persistence id.",
      tags,
      parameters: [journalParameter, idParameter],
      responses: { 200: jsonAnswer("Both; 0 and 1 for an id without events.", position) },
    },
    async handle(exchange) {
      const { journal } = await find(exchange);
      const { response, signal } = exchange;
      const persistenceId = idOf(exchange);
      const [highestSequenceNr, lowestSequenceNr] = await Promise.all([
        journal.highestSequenceNr(persistenceId, { signal }),
        journal.lowestSequenceNr(persistenceId, { signal }),
      ]);
      sendJson(response, 200, { persistenceId, highestSequenceNr, lowestSequenceNr });
    },
  };
}
