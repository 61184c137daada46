import type { Logger } from "@tablekeep/core";
import type { Projections } from "@tablekeep/feed/projections";
import { feedStart } from "../../../json/feed-json.ts";
import type { ApiRoute, HttpExchange } from "../../http/http-route.ts";
import { jsonAnswer, jsonBody, objectOf } from "../../http/openapi.ts";
import { continueAfterDisconnect } from "../../http/requests.ts";
import { sendJson } from "../../http/responses.ts";
import { tags } from "../journal-request.ts";
import { type BodyOf, type BodyShape, type BodyType, readMembers, required } from "./projection-request.ts";

/** One kind of change. */
interface Change<Shape extends BodyShape> {
  /** The last part of the path. */
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
  readonly shape: Shape;
  /** Carries it out. Returns the body of the response. */
  readonly change: (
    projections: Projections,
    name: string,
    body: BodyOf<Shape>,
    signal: AbortSignal,
  ) => Promise<object>;
}

/** Infers the shape of a change. */
function define<Shape extends BodyShape>(change: Change<Shape>): Change<BodyShape> {
  return change as unknown as Change<BodyShape>;
}

const version = "number";

/** All changes to a projection, by the names of their paths. */
const changes: readonly Change<BodyShape>[] = [
  define({
    name: "pause",
    operationId: "pauseProjection",
    summary: "Stops a projection: nothing is applied until it is resumed.",
    shape: { version },
    async change(projections, name, body, signal) {
      await projections.pause(name, { ...body, signal });
      return { state: "paused" };
    },
  }),
  define({
    name: "resume",
    operationId: "resumeProjection",
    summary: "Continues a projection that was paused or stopped.",
    shape: { version },
    async change(projections, name, body, signal) {
      await projections.resume(name, { ...body, signal });
      return { state: "running" };
    },
  }),
  define({
    name: "skip",
    operationId: "skipEvent",
    summary: "Skips the event that stopped a slice, without applying it.",
    shape: { slice: "number", version },
    async change(projections, name, { slice, ...body }, signal) {
      return { skipped: await projections.skip(name, required("slice", slice), { ...body, signal }) };
    },
  }),
  define({
    name: "rewind",
    operationId: "rewindProjection",
    summary: "Moves a projection to start, end, a position or a time.",
    shape: { to: "string", version },
    async change(projections, name, { to, ...body }, signal) {
      await projections.rewind(name, feedStart(required("to", to)), { ...body, signal });
      return { to };
    },
  }),
  define({
    name: "switch",
    operationId: "switchProjection",
    summary: "Makes a version the one that readers use.",
    shape: { version, force: "boolean" },
    async change(projections, name, { version: to, force }, signal) {
      await projections.switchTo(name, required("version", to), { force, signal });
      return { current: to };
    },
  }),
  define({
    name: "parked/retry",
    operationId: "retryParkedEvents",
    summary: "Applies parked events again: all, or those of an id.",
    shape: { persistenceId: "string", version },
    async change(projections, name, body, signal) {
      return { ids: await projections.retryParked(name, { ...body, signal }) };
    },
  }),
  define({
    name: "parked/drop",
    operationId: "dropParkedEvents",
    summary: "Removes parked events without applying them: all, those of an id, or one.",
    shape: { persistenceId: "string", event: "place", all: "boolean", version },
    async change(projections, name, body, signal) {
      return { events: await projections.dropParked(name, { ...body, signal }) };
    },
  }),
];

const schemas: Readonly<Record<BodyType, object>> = {
  number: { type: "integer", minimum: 0 },
  string: { type: "string" },
  boolean: { type: "boolean" },
  place: objectOf({ slice: { type: "integer" }, offset: { type: "integer" } }),
};

/** The routes of all changes. */
export function projectionChanges({
  path,
  parameters,
  find,
  logger,
}: {
  readonly path: string;
  readonly parameters: readonly object[];
  readonly find: (exchange: HttpExchange) => Promise<Projections>;
  readonly logger: Logger;
}): ApiRoute[] {
  return changes.map(({ name, operationId, summary, shape, change }) => ({
    method: "POST",
    path: `${path}/${name}`,
    access: "users",
    describe: {
      operationId,
      summary,
      tags,
      parameters,
      requestBody: jsonBody(
        objectOf(Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, schemas[type]]))),
      ),
      responses: { 200: jsonAnswer("Done.", { type: "object" }) },
    },
    async handle(exchange) {
      const body = await readMembers(exchange, shape);
      const projections = await find(exchange);
      const projection = exchange.params["projection"] ?? "";
      // A change to all slices that stops halfway is useless.
      const answer = await continueAfterDisconnect(exchange, logger, (signal) =>
        change(projections, projection, body, signal),
      );
      sendJson(exchange.response, 200, answer);
    },
  }));
}
