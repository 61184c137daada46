import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "@tablekeep/core";
import { runAsPart } from "../listening/part-context.ts";
import { authorize, type HttpAccess } from "./http-access.ts";
import {
  abortOnDisconnect,
  HttpError,
  type HttpExchange,
  type HttpHandler,
  type HttpRoute,
  type ObservedRequest,
  type RequestObserver,
  type RouteGroup,
} from "./http-route.ts";
import { answerError } from "./responses.ts";

/** The first segment of a path: `api` of `/api/v3/mail`. */
function firstSegment(path: string): string {
  const end = path.indexOf("/", 1);
  return path.slice(1, end === -1 ? path.length : end);
}

/** A path in which `:name` matches one segment, and `*name` at the end matches the rest, including slashes. */
interface PathPattern {
  /** The decoded value of each name; undefined if the path does not match. */
  match(path: string): Record<string, string> | undefined;
}

/** Compiles a pattern once, for many paths. */
function pathPattern(pattern: string): PathPattern {
  const names: string[] = [];
  const hasRest = /\/\*[^/]*$/.test(pattern);
  const source = pattern
    .split("/")
    .map((part) => {
      if (!part.startsWith(":") && !part.startsWith("*")) return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
      names.push(part.slice(1));
      return part.startsWith(":") ? "([^/]+)" : "(.*)";
    })
    .join("/");
  const expression = new RegExp(`^${source}$`);
  return {
    match(path) {
      const found = expression.exec(path);
      if (found === null) return undefined;
      return Object.fromEntries(
        names.map((name, at) => {
          const part = found[at + 1] ?? "";
          const isRest = hasRest && at === names.length - 1;
          return [name, (isRest ? undefined : dotSegments.get(part)) ?? decoded(part)];
        }),
      );
    },
  };
}

/**
 * Segments that stand for `.` and `..`. Clients and proxies remove those from a path, also percent-encoded. Any other comma at the start of a
 * segment means itself, and so does an encoded one.
 */
const dotSegments: ReadonlyMap<string, string> = new Map([
  [",.", "."],
  [",..", ".."],
]);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, "invalid percent-encoding in the path");
  }
}

/** Default security headers of all responses. Pages replace them with their own. */
const headers: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Sets them. Headers passed to `writeHead` later override them. */
function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

interface KnownRoute {
  readonly route: HttpRoute;
  readonly group: RouteGroup;
  readonly pattern: PathPattern;
}

interface FoundRoute extends KnownRoute {
  readonly params: Readonly<Record<string, string>>;
  /** The methods of the path if the request has another one: it is answered with 405. */
  readonly allowed?: string;
}

/**
 * One handler for all groups. Responds with 404 to an unknown path, and with 405, in the form of the path's group, to a method that the path
 * does not have. Of several routes for one path the first is used.
 */
export function routeRequests(
  groups: readonly RouteGroup[],
  logger: Logger,
  access: HttpAccess = {},
  watch: RequestObserver = () => ({ onStream() {} }),
): HttpHandler {
  const routesOf = routeTable(
    groups.flatMap((group) =>
      group.routes.map((route): KnownRoute => ({ route, group, pattern: pathPattern(route.path) })),
    ),
  );
  return async (request, response, stopping) => {
    setSecurityHeaders(response);
    const { path, query } = targetOf(request);
    const exchange = { request, response, query, signal: abortOnDisconnect(response), stopping };
    let found: FoundRoute | undefined;
    let whole: HttpExchange = { ...exchange, params: {}, onStream() {} };
    try {
      found = findRoute(routesOf(path), path, request.method ?? "");
      whole = { ...exchange, params: found.params, ...watch(observedAs(found), response) };
      if (found.allowed !== undefined) throw wrongMethod(request.method, path, found.allowed);
      const { route, group, params } = found;
      const isAccepted = await route.hasOwnCredentials?.(request, params);
      const policy = { access: isAccepted ? "anybody" : route.access, corsOrigin: group.corsOrigin } as const;
      whole = { ...whole, user: await authorize(request, policy, access) };
      await serve(found, whole);
    } catch (error) {
      if (found === undefined) watch(unrouted, response);
      if (whole.signal.aborted) return;
      (found?.group.answerError ?? answerError(logger))(error, whole);
    }
  };
}

/** Returns the routes that may match a path, in their order: those with its first segment, or with any. */
function routeTable(known: readonly KnownRoute[]): (path: string) => readonly KnownRoute[] {
  const isOpen = ({ route }: KnownRoute) => /^\/[:*]/.test(route.path);
  const bySegment = new Map<string, readonly KnownRoute[]>();
  for (const segment of new Set(known.map(({ route }) => firstSegment(route.path))))
    bySegment.set(
      segment,
      known.filter((each) => isOpen(each) || firstSegment(each.route.path) === segment),
    );
  const open = known.filter(isOpen);
  return (path) => bySegment.get(firstSegment(path)) ?? open;
}

/** Errors that a handler leaves uncaught are attributed to the part of the server that its group belongs to. */
async function serve({ group, route }: FoundRoute, exchange: HttpExchange): Promise<void> {
  const answer = async () => {
    await group.before?.(exchange);
    await route.handle(exchange);
  };
  await (group.part === undefined ? answer() : runAsPart(group.part, answer));
}

const unrouted: ObservedRequest = { part: "none", method: "other", route: "none" };

function observedAs({ route, group, allowed }: FoundRoute): ObservedRequest {
  if (allowed !== undefined) return unrouted;
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
  const [other] = others;
  if (other === undefined) throw new HttpError(404, `nothing found at ${path}`);
  return { ...other, params: {}, allowed: methodsOf(others) };
}

function wrongMethod(method: string | undefined, path: string, allow: string): HttpError {
  return new HttpError(405, `${path} does not support ${method}`, { allow });
}

function targetOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = originForm(request.url ?? "/");
  const end = target.search(/[?#]/);
  if (end === -1) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) };
}

/** RFC 9112, 3.2.2: a server also accepts a target with scheme and host, as clients of a proxy send it. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

function methodsOf(onPath: readonly KnownRoute[]): string {
  const methods = onPath.map(({ route }) => route.method);
  return [...new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)].join(", ");
}
