import type { Logger } from "@tablekeep/core";
import type { Projections } from "@tablekeep/feed/projections";
import type { ApiRoute, HttpExchange } from "../../http/http-route.ts";
import {
  count,
  jsonAnswer,
  limitParameter,
  listOf,
  objectOf,
  pathParameter,
  queryParameter,
  schemaNamed,
  text,
} from "../../http/openapi.ts";
import { continueAfterDisconnect, queryNumber } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { type FindJournal, journalParameter, journalsPath, tags } from "../journal-request.ts";
import { projectionChanges } from "./projection-changes.ts";
import { listProjections, type ServedProjections } from "./served-projections.ts";

/** Dependencies of the routes of projections. */
export interface ProjectionRoutesOptions {
  readonly find: FindJournal;
  readonly projections: ServedProjections;
  readonly logger: Logger;
}

const root = `${journalsPath}/:journal/projections`;
const one = `${root}/:projection`;
const nameParameter = pathParameter("projection", "Name of the projection.");
const versionParameter = queryParameter("version", "Its version; the current one if missing.", count);

const failed = objectOf({ offset: count, persistenceId: text, sequenceNr: count, error: text, at: count });
const sliceSchema = objectOf({
  slice: count,
  offset: count,
  events: count,
  lagEvents: count,
  lagMs: count,
  owner: text,
  epoch: count,
  movedAt: count,
  error: text,
  failed,
});

/** The schemas that the routes name. */
export const projectionSchemas: Readonly<Record<string, object>> = {
  Projection: objectOf({
    name: text,
    version: count,
    current: { ...count, description: "The version that readers use." },
    versions: listOf(count),
    mode: { enum: ["exactly-once", "at-least-once", "external"] },
    state: {
      enum: ["running", "paused", "stopped"],
      description: "stopped: an event has stopped a slice, and the others continue; or outdated is true.",
    },
    outdated: {
      type: "boolean",
      description: "The feed was rebuilt: nothing is applied until a higher version of the projection runs.",
    },
    feed: objectOf({ name: text, type: text, tag: text }),
    createdAt: count,
    slices: listOf(sliceSchema),
    lagEvents: count,
    lagMs: count,
    eventsPerSecond: { type: "number" },
    parked: count,
    lastError: text,
    runners: listOf(text),
  }),
};

/** The projections of a journal: their state, and changes to them. */
export function projectionRoutes(options: ProjectionRoutesOptions): ApiRoute[] {
  const find = async (exchange: HttpExchange) => options.projections.of(await options.find(exchange));
  return [
    listRoute(find),
    statusRoute(find),
    parkedRoute(find),
    ...projectionChanges({
      path: one,
      parameters: [journalParameter, nameParameter],
      find,
      logger: options.logger,
    }),
    removeRoute(find, options.logger),
  ];
}

type FindProjections = (exchange: HttpExchange) => Promise<Projections>;

function listRoute(find: FindProjections): ApiRoute {
  return {
    method: "GET",
    path: root,
    access: "users",
    describe: {
      operationId: "listProjections",
      summary: "Lists the projections of a journal, each with the state of its current version.",
      tags,
      parameters: [journalParameter],
      responses: {
        200: jsonAnswer(
          "Without their slices.",
          objectOf({ projections: listOf(schemaNamed("Projection")) }),
        ),
      },
    },
    async handle(exchange) {
      const { signal, response } = exchange;
      const projections = await find(exchange);
      const found = await listProjections(projections, signal);
      const states = found.map(async ({ name }) => {
        const { slices: _slices, ...status } = await projections.status(name, { signal });
        return status;
      });
      sendJson(response, 200, { projections: await Promise.all(states) });
    },
  };
}

function statusRoute(find: FindProjections): ApiRoute {
  return {
    method: "GET",
    path: one,
    access: "users",
    describe: {
      operationId: "readProjection",
      summary: "Returns how far a version of a projection is, slice by slice.",
      tags,
      parameters: [journalParameter, nameParameter, versionParameter],
      responses: { 200: jsonAnswer("The state.", schemaNamed("Projection")) },
    },
    async handle(exchange) {
      const options = versionOf(exchange);
      const projections = await find(exchange);
      sendJson(exchange.response, 200, await projections.status(nameOf(exchange), options));
    },
  };
}

function parkedRoute(find: FindProjections): ApiRoute {
  const event = objectOf({
    slice: count,
    offset: count,
    persistenceId: text,
    sequenceNr: count,
    error: text,
    at: count,
    retry: { type: "boolean", description: "Whether it is about to be applied again." },
  });
  return {
    method: "GET",
    path: `${one}/parked`,
    access: "users",
    describe: {
      operationId: "listParkedEvents",
      summary: "Lists the events that a projection has parked because it could not apply them.",
      tags,
      parameters: [
        journalParameter,
        nameParameter,
        versionParameter,
        queryParameter("id", "Only events of this persistence id.", text),
        limitParameter(1000, 100),
      ],
      responses: {
        200: jsonAnswer("By slice and offset.", objectOf({ parked: listOf(event) })),
      },
    },
    async handle(exchange) {
      const options = versionOf(exchange);
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const persistenceId = exchange.query.get("id") || undefined;
      const projections = await find(exchange);
      const parked = await projections.parked(nameOf(exchange), { ...options, persistenceId, limit });
      sendJson(exchange.response, 200, { parked });
    },
  };
}

function removeRoute(find: FindProjections, logger: Logger): ApiRoute {
  return {
    method: "DELETE",
    path: one,
    access: "users",
    describe: {
      operationId: "removeProjection",
      summary: "Removes a projection, or one version of it: its positions and parked events.",
      tags,
      parameters: [
        journalParameter,
        nameParameter,
        queryParameter("version", "Only this version.", count),
        queryParameter("force", "true: even if it is in use.", { type: "boolean" }),
      ],
      responses: {
        200: jsonAnswer("Removed.", { type: "object" }),
        409: jsonAnswer("Processes run it, or readers use it.", { type: "object" }),
      },
    },
    async handle(exchange) {
      const options = { ...versionOf(exchange), force: exchange.query.get("force") === "true" };
      const projections = await find(exchange);
      await continueAfterDisconnect(exchange, logger, (signal) =>
        projections.remove(nameOf(exchange), { ...options, signal }),
      );
      sendJson(exchange.response, 200, { removed: nameOf(exchange) });
    },
  };
}

function nameOf({ params }: HttpExchange): string {
  return params["projection"] ?? "";
}

function versionOf(exchange: HttpExchange): { readonly version?: number; readonly signal: AbortSignal } {
  const version = queryNumber(exchange, "version", { min: 1, fallback: undefined });
  return { ...(version !== undefined && { version }), signal: exchange.signal };
}
