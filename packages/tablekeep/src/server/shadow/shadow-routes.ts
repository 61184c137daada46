import { type Clock, unwrap } from "@tablekeep/core";
import {
  type DocumentObject,
  parseJson,
  type ShadowManager,
  type ShadowName,
  serverSentEvent,
} from "@tablekeep/shadow";
import { connectivityJson, viewJson } from "../../json/shadow-json.ts";
import type { IotPolicies } from "../auth/iot-policies.ts";
import { sendEvents } from "../http/event-stream.ts";
import { type ApiRoute, HttpError, type HttpExchange, streamSignal } from "../http/http-route.ts";
import {
  eventStream,
  jsonAnswer,
  jsonBody,
  objectOf,
  pathParameter,
  queryParameter,
  schemaNamed,
  text,
} from "../http/openapi.ts";
import { readText } from "../http/requests.ts";
import { sendJson, sendJsonText } from "../http/responses.ts";
import { groupRoutes } from "./group-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { listShadows } from "./list-route.ts";
import type { ShadowFeed } from "./shadow-feed.ts";
import { hasPermission, requirePermission, type ShadowPermission } from "./shadow-resource.ts";

const tags = ["shadows"];
const path = "/api/v3/shadows/:thing";
const thing = pathParameter("thing", "Name of the thing.");
const name = queryParameter("name", "Name of the shadow; without it the classic shadow.", text);
const header = (called: string, description: string): object => ({
  name: called,
  in: "header",
  required: false,
  description,
  schema: text,
});
const ifMatch = header("If-Match", 'The required current version, such as "7".');
const halves = objectOf({ desired: { type: ["object", "null"] }, reported: { type: ["object", "null"] } });
const oneShadow = { 200: jsonAnswer("The shadow. Its version is the ETag.", schemaNamed("Shadow")) };
const stale = { 412: jsonAnswer("The shadow has another version.", schemaNamed("Error")) };

/** The schemas that the routes name. */
export const shadowSchemas: Readonly<Record<string, object>> = {
  Shadow: objectOf({
    thing: text,
    name: text,
    version: { type: "integer" },
    timestamp: { type: "string", format: "date-time" },
    clientToken: text,
    state: halves,
    delta: { type: "object", description: "Desired values that are not reported." },
  }),
};

/**
 * Our own API of device shadows. A name in the query selects one of a thing's shadows; without it the classic one is
 * used. A write continues when its client disconnects; only reads are aborted.
 */
export function shadowRoutes(
  manager: ShadowManager,
  clock: Clock,
  feed: Pick<ShadowFeed, "watch">,
  policies?: IotPolicies,
): ApiRoute[] {
  const allow = (exchange: HttpExchange, action: ShadowPermission, shadow: Partial<ShadowName>) =>
    requirePermission(policies, exchange, action, shadow);
  return [
    listShadows(manager, policies),
    followShadows(feed, clock, policies),
    readShadow(manager, allow),
    updateShadow(manager, allow),
    deleteShadow(manager, allow),
    readConnectivity(manager, allow),
    ...groupRoutes(manager, policies),
    ...historyRoutes(manager, (exchange, shadow) => allow(exchange, "iot:GetThingShadow", shadow)),
  ];
}

/** Throws unless the policies allow an action on a shadow. */
type Allow = (exchange: HttpExchange, action: ShadowPermission, shadow: Partial<ShadowName>) => void;

function followShadows(
  feed: Pick<ShadowFeed, "watch">,
  clock: Clock,
  policies: IotPolicies | undefined,
): ApiRoute {
  return {
    method: "GET",
    path: "/api/v3/shadow-events",
    access: "users",
    describe: {
      operationId: "followShadows",
      summary: "Streams changes to shadows.",
      tags,
      parameters: [
        queryParameter("thing", "Only changes of this thing.", text),
        queryParameter("name", "Only changes to shadows with this name.", text),
      ],
      responses: { 200: eventStream },
    },
    handle(exchange) {
      const { query } = exchange;
      const filter = { id: query.get("thing") ?? undefined, name: query.get("name") ?? undefined };
      requirePermission(policies, exchange, "iot:GetThingShadow", { id: filter.id });
      // Each shadow must be allowed as well: a Deny may name one of the things, or a named shadow.
      const isShown = (shadow: ShadowName) => hasPermission(policies, exchange, "iot:GetThingShadow", shadow);
      const changes = () => feed.watch(filter, { signal: streamSignal(exchange) });
      return sendEvents(exchange, shownEvents(changes, isShown), clock);
    },
  };
}

/** Subscribes only when the first change is requested. */
async function* shownEvents(
  changes: () => AsyncIterable<Parameters<typeof serverSentEvent>[0]>,
  isShown: (shadow: ShadowName) => boolean,
) {
  for await (const change of changes()) if (isShown(change)) yield serverSentEvent(change);
}

function readShadow(manager: ShadowManager, allow: Allow): ApiRoute {
  return {
    method: "GET",
    path,
    access: "users",
    describe: {
      operationId: "readShadow",
      summary: "Returns one shadow.",
      tags,
      parameters: [thing, name],
      responses: oneShadow,
    },
    async handle(exchange) {
      allow(exchange, "iot:GetThingShadow", nameOf(exchange));
      const view = await manager.get(nameOf(exchange), { signal: exchange.signal });
      if (view === undefined) throw new HttpError(404, "no such shadow");
      sendView(exchange, viewJson(view), view.version);
    },
  };
}

function readConnectivity(manager: ShadowManager, allow: Allow): ApiRoute {
  return {
    method: "GET",
    path: `${path}/connectivity`,
    access: "users",
    describe: {
      operationId: "readConnectivity",
      summary:
        "Returns whether a thing is connected over MQTT, with its name as the client id, since when, and why it disconnected.",
      tags,
      parameters: [thing],
      responses: { 200: jsonAnswer("A thing that never connected is not connected.", { type: "object" }) },
    },
    async handle(exchange) {
      const { id } = nameOf(exchange);
      allow(exchange, "iot:GetThingShadow", { id });
      const found = await manager.connectivity([id], { signal: exchange.signal });
      sendJsonText(exchange.response, 200, connectivityJson(found.get(id)));
    },
  };
}

/** The halves of an update: null removes a half. */
type StatePatch = { readonly [Half in "desired" | "reported"]?: DocumentObject | null };

function updateShadow(manager: ShadowManager, allow: Allow): ApiRoute {
  return {
    method: "PATCH",
    path,
    access: "users",
    describe: {
      operationId: "updateShadow",
      summary: "Merges into the desired state, the reported state or both, and notifies MQTT's subscribers.",
      tags,
      parameters: [
        thing,
        name,
        ifMatch,
        header("If-None-Match", "* requires that the shadow does not exist."),
      ],
      requestBody: jsonBody(halves),
      responses: { ...oneShadow, ...stale },
    },
    async handle(exchange) {
      allow(exchange, "iot:UpdateThingShadow", nameOf(exchange));
      const patch = parsePatch(await readText(exchange.request));
      const request = { ...nameOf(exchange), ...patch, version: expectedVersion(exchange) };
      const outcome = await manager.update(request);
      if (outcome.kind === "conflict" && hasPrecondition(exchange)) throw preconditionFailed();
      const { current } = unwrap(outcome);
      sendView(exchange, viewJson(current), current.version);
    },
  };
}

function deleteShadow(manager: ShadowManager, allow: Allow): ApiRoute {
  return {
    method: "DELETE",
    path,
    access: "users",
    describe: {
      operationId: "deleteShadow",
      summary: "Deletes a shadow. Its version is remembered for a while.",
      tags,
      parameters: [thing, name, ifMatch],
      responses: { 200: jsonAnswer("The deleted version.", { type: "object" }), ...stale },
    },
    async handle(exchange) {
      allow(exchange, "iot:DeleteThingShadow", nameOf(exchange));
      const request = { ...nameOf(exchange), version: expectedVersion(exchange) };
      const outcome = await manager.delete(request);
      if (outcome.kind === "conflict" && hasPrecondition(exchange)) throw preconditionFailed();
      sendJson(exchange.response, 200, { version: unwrap(outcome).version });
    },
  };
}

function nameOf({ params, query }: HttpExchange): ShadowName {
  return { id: params["thing"] ?? "", name: query.get("name") ?? "" };
}

/** The condition of the request: `If-Match: "7"` requires the version, `If-None-Match: *` that the shadow does not exist. */
function expectedVersion({ request }: HttpExchange): number | undefined {
  const { "if-match": match, "if-none-match": noneMatch } = request.headers;
  if (noneMatch === "*") return 0;
  if (noneMatch !== undefined) throw new HttpError(400, "If-None-Match must be *");
  if (match === undefined) return undefined;
  const [, version] = /^"(\d{1,16})"$/.exec(match) ?? [];
  if (version === undefined) throw new HttpError(400, 'If-Match must be one version, such as "7"');
  return Number(version);
}

function hasPrecondition({ request }: HttpExchange): boolean {
  return request.headers["if-match"] !== undefined || request.headers["if-none-match"] !== undefined;
}

function preconditionFailed(): HttpError {
  return new HttpError(412, "the shadow has another version");
}

/** `{ "desired": { … }, "reported": { … } }`: either, or both. */
function parsePatch(body: string): StatePatch {
  const document = parseJson(body);
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  const keys = isObject ? Object.keys(document) : [];
  if (keys.length === 0 || keys.some((key) => key !== "desired" && key !== "reported"))
    throw new HttpError(400, "expected desired, reported or both, and no other members");
  return document as StatePatch;
}

function sendView({ response }: HttpExchange, text: string, version: number): void {
  sendJsonText(response, 200, text, { etag: `"${version}"` });
}
