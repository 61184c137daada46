import type { IncomingMessage, ServerResponse } from "node:http";

/** What answers the requests for one path. HEAD is answered by the route for GET; Node leaves the body out. */
export interface HttpRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  readonly path: string;
  readonly handle: HttpHandler;
}

/** Answers one request. It may answer later; a rejection becomes status 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** One handler for all `routes`: 404 for a path that none has, 405 for a method that the path lacks. */
export function routeRequests(routes: readonly HttpRoute[]): HttpHandler {
  return (request, response) => {
    const path = pathOf(request);
    const onPath = routes.filter((route) => route.path === path);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = onPath.find((candidate) => candidate.method === method);
    if (route !== undefined) return route.handle(request, response);
    if (onPath.length === 0) return sendJson(response, 404, { error: `there is nothing at ${path}` });
    response.setHeader("allow", allowed(onPath));
    return sendJson(response, 405, { error: `${path} does not take ${request.method}` });
  };
}

/** Answers with one JSON document. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}

function pathOf(request: IncomingMessage): string {
  const target = request.url ?? "/";
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

function allowed(routes: readonly HttpRoute[]): string {
  const methods = routes.map((route) => route.method);
  return (methods.includes("GET") ? [...methods, "HEAD"] : methods).join(", ");
}
