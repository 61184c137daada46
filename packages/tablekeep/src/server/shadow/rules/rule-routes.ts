import { type DocumentObject, parseJson, printJson } from "@tablekeep/shadow";
import type { IotPolicies } from "../../auth/iot-policies.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import { jsonAnswer, limitParameter, pathParameter, queryParameter, text } from "../../http/openapi.ts";
import { queryNumber, readBody } from "../../http/requests.ts";
import { sendJson, sendJsonText } from "../../http/responses.ts";
import type { ShadowRule } from "../../setting-files/shadow-rules.ts";
import { hasPermission, requirePermission } from "../shadow-resource.ts";
import type { ParkedRuleEventBody } from "./rule-items.ts";
import type { RunningRules } from "./run-rules.ts";

const tags = ["shadows"];
const root = "/api/v3/shadow-rules";
const parameters = [pathParameter("rule", "Name of the rule.")];

/** Shows the rules of shadows, their queues and their parked events. */
export function ruleRoutes(rules: RunningRules, policies?: IotPolicies): ApiRoute[] {
  const ruleOf = (exchange: HttpExchange): ShadowRule => {
    requirePermission(policies, exchange, "iot:GetThingShadow", {});
    const found = rules.rules.find(({ name }) => name === exchange.params["rule"]);
    if (found === undefined) throw new HttpError(404, "no such rule");
    return found;
  };
  return [listRules(rules, policies), listParked(rules, ruleOf, policies), retryParked(rules, ruleOf)];
}

function listRules(rules: RunningRules, policies: IotPolicies | undefined): ApiRoute {
  return {
    method: "GET",
    path: root,
    access: "users",
    describe: {
      operationId: "listShadowRules",
      summary: "Lists the rules of shadows, with the lengths of their queues.",
      tags,
      responses: { 200: jsonAnswer("running is false if another server runs them.", { type: "object" }) },
    },
    handle(exchange) {
      requirePermission(policies, exchange, "iot:GetThingShadow", {});
      const all = rules.rules.map(({ name, on, where, url }) => {
        const status = rules.statusOf(name) ?? { queued: null, parked: null, dropped: null };
        return { name, on, where, url: publicUrl(url), ...status };
      });
      sendJson(exchange.response, 200, { running: rules.isLeading, rules: all });
    },
  };
}

/** User names, passwords and queries of URLs may be secrets. */
function publicUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function listParked(
  rules: RunningRules,
  ruleOf: (exchange: HttpExchange) => ShadowRule,
  policies: IotPolicies | undefined,
): ApiRoute {
  return {
    method: "GET",
    path: `${root}/:rule/parked`,
    access: "users",
    describe: {
      operationId: "listParkedShadowEvents",
      summary: "Lists the events that a rule gave up, the oldest first.",
      tags,
      parameters: [
        ...parameters,
        limitParameter(1000, 100),
        queryParameter("next", "The next of the previous page.", text),
      ],
      responses: {
        200: jsonAnswer("One page, with the last error of each event. next is present if there are more.", {
          type: "object",
        }),
      },
    },
    async handle(exchange) {
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const after = exchange.query.get("next") || undefined;
      if (after !== undefined && !/^\d+$/.test(after))
        throw new HttpError(400, "next must be the value of next in the previous page");
      const { events, next } = await rules.parked(ruleOf(exchange).name, { after, limit }, exchange.signal);
      const isShown = ({ thing: id, name }: ParkedRuleEventBody) =>
        hasPermission(policies, exchange, "iot:GetThingShadow", { id, name });
      const parked = events.filter(isShown).map(parkedDocument);
      sendJsonText(exchange.response, 200, printJson({ parked, ...(next !== undefined && { next }) }));
    },
  };
}

function parkedDocument({ id, body, attempts, error, parkedAt }: ParkedRuleEventBody): DocumentObject {
  return { id, attempts, error, parkedAt: new Date(parkedAt).toISOString(), event: parseJson(body) };
}

function retryParked(rules: RunningRules, ruleOf: (exchange: HttpExchange) => ShadowRule): ApiRoute {
  return {
    method: "POST",
    path: `${root}/:rule/retry`,
    access: "users",
    describe: {
      operationId: "retryShadowRule",
      summary: "Queues the parked events of a rule again.",
      tags,
      parameters,
      responses: { 200: jsonAnswer("The number of events.", { type: "object" }) },
    },
    async handle(exchange) {
      await readBody(exchange.request);
      const { name } = ruleOf(exchange);
      const queued = await rules.retry(name, exchange.signal);
      if (queued === undefined)
        throw new HttpError(409, "another server runs the rules: send the request to that one");
      sendJson(exchange.response, 200, { queued });
    },
  };
}
