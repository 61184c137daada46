import {
  type DocumentObject,
  parseJson,
  printJson,
  type Rollout,
  type RolloutRequest,
  type ShadowRollouts,
} from "@tablekeep/shadow";
import { rolloutDocument } from "../../json/shadow-json.ts";
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
import { queryNumber, readText } from "../http/requests.ts";
import { sendJsonText } from "../http/responses.ts";
import { requirePermission } from "./shadow-resource.ts";

const tags = ["shadow rollouts"];
const root = "/api/v3/shadow-rollouts";
const rollout = pathParameter("rollout", "Name of the rollout.");
const one = { 200: jsonAnswer("The rollout.", { type: "object" }) };
const definition = objectOf({
  name: text,
  query: text,
  shadow: text,
  desired: { type: "object" },
  waves: listOf({ type: ["integer", "string"] }),
  gate: objectOf({ succeeded: { type: "number" }, withinMs: { type: "integer" }, onFailure: text }),
});

/** Dependencies of the routes of rollouts. */
export interface RolloutPlane {
  readonly rollouts: ShadowRollouts;
  /** Called after a rollout was created or changed. */
  readonly onChanged: () => void;
  /** @default everything is allowed */
  readonly policies?: IotPolicies;
}

interface RolloutOperation {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly describe: Omit<ApiRoute["describe"], "tags">;
  readonly handle: (
    rollouts: ShadowRollouts,
    exchange: HttpExchange,
    name: string,
  ) => Promise<DocumentObject>;
}

const reads: readonly RolloutOperation[] = [
  {
    method: "GET",
    path: root,
    describe: {
      operationId: "listShadowRollouts",
      summary: "Lists rollouts, by name; at most 1,000.",
      responses: { 200: jsonAnswer("All rollouts.", { type: "object" }) },
    },
    async handle(rollouts, { signal }) {
      return { rollouts: (await rollouts.list({ signal })).map(rolloutDocument) };
    },
  },
  {
    method: "GET",
    path: `${root}/:rollout`,
    describe: {
      operationId: "readShadowRollout",
      summary: "Returns one rollout: its phase, its waves, and what it changes.",
      parameters: [rollout],
      responses: one,
    },
    async handle(rollouts, { signal }, name) {
      const found = await rollouts.get(name, { signal });
      if (found === undefined) throw new HttpError(404, "no such rollout");
      return rolloutDocument(found);
    },
  },
  {
    method: "GET",
    path: `${root}/:rollout/things`,
    describe: {
      operationId: "listThingsOfRollout",
      summary: "Lists the things of a rollout, by wave and name, with what is known about each.",
      parameters: [
        rollout,
        limitParameter(1000, 100),
        queryParameter("next", "The next of the previous page.", text),
      ],
      responses: { 200: jsonAnswer("One page. next is present if there are more.", { type: "object" }) },
    },
    async handle(rollouts, exchange, name) {
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const request = { limit, token: exchange.query.get("next") || undefined };
      const { things, token } = await rollouts.things(name, request, { signal: exchange.signal });
      return { things: things.map((thing) => ({ ...thing })), ...(token !== undefined && { next: token }) };
    },
  },
];

const changes: readonly RolloutOperation[] = [
  {
    method: "POST",
    path: root,
    describe: {
      operationId: "createShadowRollout",
      summary: "Creates a rollout: a desired state for the shadows that a query matches, in waves.",
      requestBody: jsonBody(definition),
      responses: one,
    },
    async handle(rollouts, { request }) {
      const document = objectIn(await readText(request));
      return rolloutDocument(await rollouts.create(document as unknown as RolloutRequest));
    },
  },
  changeOf("pause", `${root}/:rollout/pause`, "Pauses a rollout.", (rollouts, name) => rollouts.pause(name)),
  changeOf(
    "resume",
    `${root}/:rollout/resume`,
    "Continues a rollout that is paused. With accept, its wave counts as good.",
    (rollouts, name, { accept = false }) => {
      if (typeof accept !== "boolean") throw new HttpError(400, "accept must be true or false");
      return rollouts.resume(name, { accept });
    },
  ),
  changeOf(
    "cancel",
    `${root}/:rollout/cancel`,
    "Ends a rollout. What it has changed stays.",
    (rollouts, name) => rollouts.cancel(name),
  ),
  changeOf(
    "rollback",
    `${root}/:rollout/rollback`,
    "Restores the desired values that the things had, except those that others changed.",
    (rollouts, name) => rollouts.rollBack(name),
  ),
];

function changeOf(
  action: string,
  path: string,
  summary: string,
  change: (rollouts: ShadowRollouts, name: string, body: DocumentObject) => Promise<Rollout>,
): RolloutOperation {
  return {
    method: "POST",
    path,
    describe: { operationId: `${action}ShadowRollout`, summary, parameters: [rollout], responses: one },
    async handle(rollouts, { request }, name) {
      const body = await readText(request);
      return rolloutDocument(await change(rollouts, name, body.length === 0 ? {} : objectIn(body)));
    },
  };
}

/** Rollouts. Like groups, they concern all things. */
export function rolloutRoutes({ rollouts, onChanged, policies }: RolloutPlane): ApiRoute[] {
  return [...reads, ...changes].map(({ method, path, describe, handle }) => ({
    method,
    path,
    access: "users",
    describe: { ...describe, tags },
    async handle(exchange) {
      const action = method === "GET" ? "iot:GetThingShadow" : "iot:UpdateThingShadow";
      requirePermission(policies, exchange, action, {});
      const document = await handle(rollouts, exchange, exchange.params["rollout"] ?? "");
      if (method === "POST") onChanged();
      sendJsonText(exchange.response, 200, printJson(document));
    },
  }));
}

/** The JSON object of a body. Numbers stay exact. */
function objectIn(body: string): DocumentObject {
  const document = parseJson(body);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new HttpError(400, "expected a JSON object");
  return document as DocumentObject;
}
