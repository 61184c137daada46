import type { IncomingMessage } from "node:http";
import type { Logger } from "@tablekeep/core";
import { runAsPart } from "../part-context.ts";
import { answerError } from "./answer-error.ts";
import { admit, type HttpAccess } from "./http-access.ts";
import { type HttpExchange, untilClientGoes } from "./http-exchange.ts";
import { HttpRefusal } from "./http-refusal.ts";
import type { HttpHandler, HttpRoute, RouteGroup } from "./http-route.ts";
import { type PathPattern, pathPattern } from "./path-pattern.ts";
import type { RequestWatch, WatchedRequest } from "./request-watch.ts";
import { setSecurityHeaders } from "./security-headers.ts";

interface KnownRoute {
  readonly route: HttpRoute;
  readonly group: RouteGroup;
  readonly pattern: PathPattern;
}

interface FoundRoute extends KnownRoute {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * One handler for all groups: 404 for a path that none has, 405 for a method that the path lacks. Of several routes for
 * one path the first counts.
 */
export function routeRequests(
  groups: readonly RouteGroup[],
  logger: Logger,
  access: HttpAccess = {},
  watch: RequestWatch = () => ({ onStream() {} }),
): HttpHandler {
  const known = groups.flatMap((group) =>
    group.routes.map((route): KnownRoute => ({ route, group, pattern: pathPattern(route.path) })),
  );
  return async (request, response, stopping) => {
    setSecurityHeaders(response);
    const { path, query } = targetOf(request);
    const exchange = { request, response, query, signal: untilClientGoes(response), stopping };
    let found: FoundRoute | undefined;
    let whole: HttpExchange = { ...exchange, params: {}, onStream() {} };
    try {
      found = findRoute(known, path, request.method ?? "");
      whole = { ...exchange, params: found.params, ...watch(watchedAs(found), response) };
      await admit(request, found.group, access);
      await serve(found, whole);
    } catch (error) {
      if (found === undefined) watch(nowhere, response);
      if (whole.signal.aborted) return;
      (found?.group.answerError ?? answerError(logger))(error, whole);
    }
  };
}

/** Errors that a handler leaves uncaught are attributed to the part of the server that its group belongs to. */
async function serve({ group, route }: FoundRoute, exchange: HttpExchange): Promise<void> {
  const answer = async () => {
    await group.guard?.(exchange);
    await route.handle(exchange);
  };
  await (group.part === undefined ? answer() : runAsPart(group.part, answer));
}

const nowhere: WatchedRequest = { part: "none", method: "other", route: "none" };

function watchedAs({ route, group }: FoundRoute): WatchedRequest {
  return { part: group.part ?? "server", method: route.method, route: route.path };
}

function findRoute(known: readonly KnownRoute[], path: string, method: string): FoundRoute {
  const wanted = method === "HEAD" ? "GET" : method;
  const others: KnownRoute[] = [];
  for (const each of known) {
    const params = each.pattern.match(path);
    if (params === undefined) continue;
    if (each.route.method === wanted) return { ...each, params };
    others.push(each);
  }
  if (others.length === 0) throw new HttpRefusal(404, `there is nothing at ${path}`);
  throw new HttpRefusal(405, `${path} does not take ${method}`, { allow: allowed(others) });
}

function targetOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = request.url ?? "/";
  const end = target.search(/[?#]/);
  if (end === -1) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) };
}

function allowed(onPath: readonly KnownRoute[]): string {
  const methods = onPath.map(({ route }) => route.method);
  return [...new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)].join(", ");
}
