import type { HistoryPoint, ShadowManager, ShadowName } from "@tablekeep/shadow";
import { changesJson, historyJson, parsePoint, viewJson } from "../../json/shadow-json.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../http/http-route.ts";
import {
  jsonAnswer,
  limitParameter,
  pathParameter,
  queryParameter,
  schemaNamed,
  text,
} from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJsonText } from "../http/responses.ts";

const tags = ["shadows"];
const path = "/api/v3/shadows/:thing";
const shared = [
  pathParameter("thing", "Name of the thing."),
  queryParameter("name", "Name of the shadow; without it the classic shadow.", text),
];
const point = (name: string, description: string) =>
  queryParameter(name, `${description}: a version such as 7, or a time such as 2026-11-01T12:00:00Z.`, text);

/** Throws unless the user of a request may read a shadow. */
type AllowRead = (exchange: HttpExchange, shadow: ShadowName) => void;

/** The history of shadows: entries, the shadow at a version or a time, and the difference between two versions. */
export function historyRoutes(manager: ShadowManager, allow: AllowRead): ApiRoute[] {
  return [readHistory(manager, allow), readAt(manager, allow), readDiff(manager, allow)];
}

function readHistory(manager: ShadowManager, allow: AllowRead): ApiRoute {
  return {
    method: "GET",
    path: `${path}/history`,
    access: "users",
    describe: {
      operationId: "readShadowHistory",
      summary: "Returns the versions of a shadow that are kept, the newest first, with what each changed.",
      tags,
      parameters: [
        ...shared,
        queryParameter("path", "Only changes at this JSON pointer, such as /reported/firmware.", text),
        limitParameter(1000, 100),
        queryParameter("next", "The next of the previous page.", text),
      ],
      responses: { 200: jsonAnswer("One page. next is present if there are more.", { type: "object" }) },
    },
    async handle(exchange) {
      const shadow = nameOf(exchange);
      allow(exchange, shadow);
      const { query, signal, response } = exchange;
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const request = { path: query.get("path") || undefined, token: query.get("next") || undefined, limit };
      sendJsonText(response, 200, historyJson(await manager.history({ ...shadow, ...request }, { signal })));
    },
  };
}

function readAt(manager: ShadowManager, allow: AllowRead): ApiRoute {
  return {
    method: "GET",
    path: `${path}/at`,
    access: "users",
    describe: {
      operationId: "readShadowAt",
      summary: "Returns a shadow as it was at a version or a time.",
      tags,
      parameters: [...shared, point("point", "When")],
      responses: { 200: jsonAnswer("The shadow.", schemaNamed("Shadow")) },
    },
    async handle(exchange) {
      const shadow = nameOf(exchange);
      allow(exchange, shadow);
      const view = await manager.at(shadow, pointOf(exchange, "point"), { signal: exchange.signal });
      if (view === undefined) throw new HttpError(404, "no such version of the shadow");
      sendJsonText(exchange.response, 200, viewJson(view));
    },
  };
}

function readDiff(manager: ShadowManager, allow: AllowRead): ApiRoute {
  return {
    method: "GET",
    path: `${path}/diff`,
    access: "users",
    describe: {
      operationId: "diffShadow",
      summary: "Returns the values of a shadow that differ between two versions or times.",
      tags,
      parameters: [...shared, point("from", "The earlier state"), point("to", "The later state")],
      responses: { 200: jsonAnswer("The changes.", { type: "object" }) },
    },
    async handle(exchange) {
      const shadow = nameOf(exchange);
      allow(exchange, shadow);
      const [from, to] = [pointOf(exchange, "from"), pointOf(exchange, "to")];
      const changes = await manager.diff(shadow, from, to, { signal: exchange.signal });
      sendJsonText(exchange.response, 200, changesJson(changes));
    },
  };
}

function nameOf({ params, query }: HttpExchange): ShadowName {
  return { id: params["thing"] ?? "", name: query.get("name") ?? "" };
}

function pointOf({ query }: HttpExchange, name: string): HistoryPoint {
  const point = parsePoint(query.get(name) ?? "");
  if (point !== undefined) return point;
  throw new HttpError(400, `${name} must be a version, such as 7, or a time, such as 2026-11-01T12:00:00Z`);
}
