import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { linkSignals } from "@tablekeep/core";
import { rejectForeignOrigin } from "../../server/http/http-access.ts";
import { HttpError, type HttpHandler } from "../../server/http/http-route.ts";
import { sendJson } from "../../server/http/responses.ts";

/** The path of the endpoint. */
export const mcpPath = "/mcp";

/** A handler for the requests of a web-standard server. */
type FetchHandler = (request: Request) => Promise<Response>;

/** Serves MCP on `/mcp`. Requests of pages of other sites are rejected. */
export function mcpHandler(fetch: FetchHandler): HttpHandler {
  return async (request, response, stopping) => {
    try {
      rejectForeignOrigin(request);
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      if (path !== mcpPath) throw new HttpError(404, `not found: MCP is at ${mcpPath}`);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      sendJson(response, error.status, { error: error.message });
      return;
    }
    const ended = linkSignals(stopping);
    response.once("close", () => ended.abort(new Error("the client disconnected")));
    await send(response, await fetch(webRequest(request, ended.signal)));
  };
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers, url = "/" } = request;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
    method,
    headers: given,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as unknown as ReadableStream, duplex: "half" }),
  } as RequestInit);
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  } catch (error) {
    // The client has disconnected: no response can be sent.
    if (!response.destroyed) throw error;
  }
}
