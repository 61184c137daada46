import type { ListedRow, ListPage, ShadowManager } from "@tablekeep/shadow";
import { rowJson, searchJson } from "../../json/shadow-json.ts";
import type { IotPolicies } from "../auth/iot-policies.ts";
import { type ApiRoute, HttpError, type HttpExchange } from "../http/http-route.ts";
import { jsonAnswer, limitParameter, queryParameter, text } from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJson, sendJsonText } from "../http/responses.ts";
import { hasPermission, requirePermission } from "./shadow-resource.ts";

/** Lists shadows, or searches for them by a query. */
export function listShadows(manager: ShadowManager, policies: IotPolicies | undefined): ApiRoute {
  return {
    method: "GET",
    path: "/api/v3/shadows",
    access: "users",
    describe: {
      operationId: "listShadows",
      summary:
        "Lists the shadows of all things, or of one. With query, returns those that match, with their state.",
      tags: ["shadows"],
      parameters: [
        queryParameter("thing", "Only shadows of this thing.", text),
        queryParameter(
          "prefix",
          "Only shadows of things whose names have this prefix; not with query.",
          text,
        ),
        queryParameter("query", 'Only shadows that match, such as reported.firmware < "2.1".', text),
        limitParameter(1000, 100),
        queryParameter("next", "The next of the previous page.", text),
      ],
      responses: { 200: jsonAnswer("One page. next is present if there are more.", { type: "object" }) },
    },
    async handle(exchange) {
      const { query, response, signal } = exchange;
      const thing = query.get("thing") || undefined;
      requirePermission(policies, exchange, "iot:GetThingShadow", { id: thing });
      const page = {
        limit: queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 }),
        token: query.get("next") || undefined,
      };
      const prefix = query.get("prefix") ?? "";
      if (query.has("query")) return search(manager, policies, exchange, { id: thing, ...page });
      const { rows, token } = await readPage(manager, { thing, prefix, ...page, signal });
      const shown = rows.filter((row) => hasPermission(policies, exchange, "iot:GetThingShadow", row));
      sendJson(response, 200, { shadows: shown.map(rowJson), next: token });
    },
  };
}

/** The shadows to list. */
interface PageRequest {
  /** Only the shadows of this thing. @default the shadows of all things */
  readonly thing?: string;
  /** The prefix of the things' names. */
  readonly prefix: string;
  readonly limit: number;
  /** The end of the previous page. @default the beginning */
  readonly token?: string;
  readonly signal: AbortSignal;
}

/** A prefix may match few rows: after this many the page ends, and the caller decides whether to continue. */
const maxRowsRead = 10_000;

/** One page of shadows. Things are not ordered by name, so a prefix is searched among all of them. */
async function readPage(manager: ShadowManager, request: PageRequest): Promise<ListPage> {
  const { thing: id, prefix, limit, signal } = request;
  const rows: ListedRow[] = [];
  let { token } = request;
  let read = 0;
  do {
    const page = await manager.list({ id, limit: limit - rows.length, token, signal });
    rows.push(...page.rows.filter((row) => row.id.startsWith(prefix)));
    read += page.rows.length;
    token = page.token;
  } while (token !== undefined && rows.length < limit && prefix !== "" && read < maxRowsRead);
  return { rows, ...(token !== undefined && { token }) };
}

/** As in a list, each shadow must be allowed: a Deny may name one of the things, or a named shadow. */
async function search(
  manager: ShadowManager,
  policies: IotPolicies | undefined,
  exchange: HttpExchange,
  page: { readonly id?: string; readonly limit: number; readonly token?: string },
): Promise<void> {
  const { query, signal, response } = exchange;
  if (query.has("prefix")) throw new HttpError(400, "pass query or prefix, not both");
  const found = await manager.search({ query: query.get("query") ?? "", ...page }, { signal });
  const shadows = found.shadows.filter((shadow) =>
    hasPermission(policies, exchange, "iot:GetThingShadow", shadow),
  );
  sendJsonText(response, 200, searchJson({ ...found, shadows }));
}
