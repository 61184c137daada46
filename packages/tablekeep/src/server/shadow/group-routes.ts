import type { ShadowGroup, ShadowGroups, ShadowManager } from "@tablekeep/shadow";
import type { IotPolicies } from "../auth/iot-policies.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../http/http-route.ts";
import {
  jsonAnswer,
  jsonBody,
  limitParameter,
  listOf,
  objectOf,
  pathParameter,
  queryParameter,
  text,
} from "../http/openapi.ts";
import { queryNumber, readJson } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { requirePermission } from "./shadow-resource.ts";

const tags = ["shadow groups"];
const root = "/api/v3/shadow-groups";
const group = pathParameter("group", "Name of the group.");
const page = [limitParameter(1000, 100), queryParameter("next", "The next of the previous page.", text)];
const one = { 200: jsonAnswer("The group.", objectOf({ name: text, query: text })) };
const things = objectOf({ things: listOf(text) });

interface GroupOperation {
  readonly method: ApiRoute["method"];
  readonly path: string;
  readonly describe: Omit<ApiRoute["describe"], "tags">;
  readonly handle: (groups: ShadowGroups, exchange: HttpExchange, name: string) => Promise<object>;
}

const onePage = { 200: jsonAnswer("One page. next is present if there are more.", { type: "object" }) };

const reads: readonly GroupOperation[] = [
  {
    method: "GET",
    path: root,
    describe: {
      operationId: "listShadowGroups",
      summary: "Lists groups of things, by name.",
      parameters: page,
      responses: onePage,
    },
    async handle(groups, exchange) {
      const { groups: found, token } = await groups.list(pageOf(exchange), { signal: exchange.signal });
      return { groups: found, next: token };
    },
  },
  {
    method: "GET",
    path: `${root}/:group`,
    describe: {
      operationId: "readShadowGroup",
      summary: "Returns one group; a dynamic one has a query.",
      parameters: [group],
      responses: one,
    },
    handle: (groups, _exchange, name) => existing(groups, name),
  },
  {
    method: "GET",
    path: `${root}/:group/things`,
    describe: {
      operationId: "listThingsOfGroup",
      summary: "Lists the things of a static group, by name.",
      parameters: [group, ...page],
      responses: onePage,
    },
    async handle(groups, exchange, name) {
      const found = await groups.things(name, pageOf(exchange), { signal: exchange.signal });
      return { things: found.things, next: found.token };
    },
  },
];

const changes: readonly GroupOperation[] = [
  {
    method: "PUT",
    path: `${root}/:group`,
    describe: {
      operationId: "saveShadowGroup",
      summary: "Creates a group: dynamic with a query, static without. Replaces the query of a dynamic one.",
      parameters: [group],
      requestBody: jsonBody(objectOf({ query: text })),
      responses: one,
    },
    async handle(groups, { request }, name) {
      const { query } = membersOf(await readJson(request), ["query"]);
      if (query !== undefined && typeof query !== "string")
        throw new HttpError(400, "query must be a string");
      await groups.save({ name, ...(query !== undefined && { query }) });
      return existing(groups, name);
    },
  },
  {
    method: "DELETE",
    path: `${root}/:group`,
    describe: {
      operationId: "deleteShadowGroup",
      summary: "Deletes a group. The shadows of its things stay.",
      parameters: [group],
      responses: { 200: jsonAnswer("The group is deleted.", { type: "object" }) },
    },
    async handle(groups, _exchange, name) {
      if (!(await groups.delete(name))) throw new HttpError(404, "no such group");
      return { deleted: name };
    },
  },
  changeOf("add", `${root}/:group/things/add`, "Adds things to a static group."),
  changeOf("remove", `${root}/:group/things/remove`, "Removes things from a static group."),
];

function changeOf(action: "add" | "remove", path: string, summary: string): GroupOperation {
  return {
    method: "POST",
    path,
    describe: {
      operationId: `${action}ThingsOfGroup`,
      summary,
      parameters: [group],
      requestBody: jsonBody(things),
      responses: one,
    },
    async handle(groups, { request }, name) {
      const { things: given } = membersOf(await readJson(request), ["things"]);
      if (!Array.isArray(given)) throw new HttpError(400, "things must be a list of names");
      await groups[action](name, given as string[]);
      return existing(groups, name);
    },
  };
}

/**
 * Groups of things. They concern all things: with policies, reading requires permission to read all shadows, and changes require permission
 * to update all.
 */
export function groupRoutes({ groups }: Pick<ShadowManager, "groups">, policies?: IotPolicies): ApiRoute[] {
  return [...reads, ...changes].map(({ method, path, describe, handle }) => ({
    method,
    path,
    access: "users",
    describe: { ...describe, tags },
    async handle(exchange) {
      const action = method === "GET" ? "iot:GetThingShadow" : "iot:UpdateThingShadow";
      requirePermission(policies, exchange, action, {});
      sendJson(exchange.response, 200, await handle(groups, exchange, exchange.params["group"] ?? ""));
    },
  }));
}

async function existing(groups: ShadowGroups, name: string): Promise<ShadowGroup> {
  const found = await groups.get(name);
  if (found === undefined) throw new HttpError(404, "no such group");
  return found;
}

function pageOf(exchange: HttpExchange): { readonly limit: number; readonly token?: string } {
  const token = exchange.query.get("next") || undefined;
  const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
  return { limit, ...(token !== undefined && { token }) };
}

/** The members of a JSON object. Throws for unknown ones. */
function membersOf(body: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (body !== undefined && (!isObject || Object.keys(body).some((name) => !names.includes(name))))
    throw new HttpError(400, `expected an object with ${names.join(", ")}, and no other members`);
  return (body ?? {}) as Readonly<Record<string, unknown>>;
}
