import { type Clock, unwrap } from "@tablekeep/core";
import {
  type DocumentObject,
  type ListedRow,
  type ListPage,
  parseJson,
  type ShadowManager,
  type ShadowName,
  serverSentEvent,
} from "@tablekeep/shadow";
import { rowJson, viewJson } from "../../json/shadow-json.ts";
import { sendEvents } from "../http/event-stream.ts";
import { HttpError, type HttpExchange, type HttpRoute } from "../http/http-route.ts";
import { queryNumber, readBody } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import type { ShadowFeed } from "./shadow-feed.ts";
import { shadowOperations } from "./shadow-operations.ts";

/** Which shadows to list. */
interface ListShadowsRequest {
  /** Only those of this thing. @default those of all */
  readonly thing?: string;
  /** The prefix of the things' names. */
  readonly prefix: string;
  readonly limit: number;
  /** The end of the previous page. @default the beginning */
  readonly token?: string;
  readonly signal: AbortSignal;
}

/** A prefix may match few rows: after this many the page ends, and the caller decides whether to continue. */
const maxLookedAt = 10_000;

/** One page of shadows. Things are not ordered by name, so a prefix is searched among all of them. */
async function listShadows(manager: ShadowManager, request: ListShadowsRequest): Promise<ListPage> {
  const { thing: id, prefix, limit, signal } = request;
  const rows: ListedRow[] = [];
  let { token } = request;
  let lookedAt = 0;
  do {
    const page = await manager.list({ id, limit: limit - rows.length, token, signal });
    rows.push(...page.rows.filter((row) => row.id.startsWith(prefix)));
    lookedAt += page.rows.length;
    token = page.token;
  } while (token !== undefined && rows.length < limit && prefix !== "" && lookedAt < maxLookedAt);
  return { rows, ...(token !== undefined && { token }) };
}

const one = "/api/v3/shadows/:thing";

/** The halves of an update: null removes a half. */
type StatePatch = { readonly [Half in "desired" | "reported"]?: DocumentObject | null };

/**
 * Our own API of device shadows. A name in the query selects one of a thing's shadows; without it the classic one is
 * used. A write continues when its client disconnects; only reads are aborted.
 */
export function shadowRoutes(
  manager: ShadowManager,
  clock: Clock,
  feed: Pick<ShadowFeed, "watch">,
): HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/api/v3/shadows",
      describe: shadowOperations.listShadows,
      async handle(exchange) {
        const { query, response, signal } = exchange;
        const page = await listShadows(manager, {
          thing: query.get("thing") || undefined,
          prefix: query.get("prefix") ?? "",
          limit: queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 }),
          token: query.get("next") || undefined,
          signal,
        });
        sendJson(response, 200, { shadows: page.rows.map(rowJson), next: page.token });
      },
    },
    {
      method: "GET",
      path: "/api/v3/shadow-events",
      describe: shadowOperations.followShadows,
      handle(exchange) {
        const { query, signal, stopping } = exchange;
        const filter = { id: query.get("thing") ?? undefined, name: query.get("name") ?? undefined };
        const changes = () => feed.watch(filter, { signal: AbortSignal.any([signal, stopping]) });
        return sendEvents(exchange, texts(changes), clock);
      },
    },
    {
      method: "GET",
      path: one,
      describe: shadowOperations.readShadow,
      async handle(exchange) {
        const view = await manager.get(nameOf(exchange), { signal: exchange.signal });
        if (view === undefined) throw new HttpError(404, "no such shadow");
        sendView(exchange, viewJson(view), view.version);
      },
    },
    {
      method: "PATCH",
      path: one,
      describe: shadowOperations.updateShadow,
      async handle(exchange) {
        const halves = parseHalves(await readBody(exchange.request));
        const request = { ...nameOf(exchange), ...halves, version: expectedVersion(exchange) };
        const outcome = await manager.update(request);
        if (outcome.kind === "conflict" && hasPrecondition(exchange)) throw preconditionFailed();
        const { current } = unwrap(outcome);
        sendView(exchange, viewJson(current), current.version);
      },
    },
    {
      method: "DELETE",
      path: one,
      describe: shadowOperations.deleteShadow,
      async handle(exchange) {
        const request = { ...nameOf(exchange), version: expectedVersion(exchange) };
        const outcome = await manager.delete(request);
        if (outcome.kind === "conflict" && hasPrecondition(exchange)) throw preconditionFailed();
        sendJson(exchange.response, 200, { version: unwrap(outcome).version });
      },
    },
  ];
}

function nameOf({ params, query }: HttpExchange): ShadowName {
  return { id: params["thing"] ?? "", name: query.get("name") ?? "" };
}

/** Subscribes only when the first change is requested. */
async function* texts(changes: () => AsyncIterable<Parameters<typeof serverSentEvent>[0]>) {
  for await (const change of changes()) yield serverSentEvent(change);
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
function parseHalves(body: Buffer): StatePatch {
  const document = parseJson(body.toString("utf8"));
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  const keys = isObject ? Object.keys(document) : [];
  if (keys.length === 0 || keys.some((key) => key !== "desired" && key !== "reported"))
    throw new HttpError(400, "expected desired, reported or both, and no other members");
  return document as StatePatch;
}

function sendView({ response }: HttpExchange, text: string, version: number): void {
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    etag: `"${version}"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
