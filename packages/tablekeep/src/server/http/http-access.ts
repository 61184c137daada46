import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../listening/listener.ts";
import { type AccessPolicy, HttpError, type SignedAccess } from "./http-route.ts";

/**
 * Whether a request names this server as its host. A page of another site can make its own name resolve to 127.0.0.1 (DNS
 * rebinding) and then send requests to a server on loopback as if it were that site; its requests contain that name. A server
 * that other machines reach has names that are not configured here, so nothing is checked there.
 */
export function namesThisServer(request: IncomingMessage, boundHost: string): boolean {
  if (hasTwoHosts(request)) return false;
  if (!isLoopback(boundHost)) return true;
  const [, address, name] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(request.headers.host ?? "") ?? [];
  const host = (address ?? name ?? "").toLowerCase();
  return isLoopback(host) || host.endsWith(".localhost");
}

/** RFC 9112, 3.2: must be rejected. Node uses the first header; a proxy may have used the second. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/** The response to a request with another host name. */
export function rejectForeignHost(response: ServerResponse): void {
  const text = "the Host header names another server: use localhost or this server's address\n";
  response.writeHead(403, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}

/**
 * Throws if requests from pages of other sites are rejected. Browsers send the page's origin with every request that could
 * change something; programs send none.
 */
export function rejectForeignOrigin(request: IncomingMessage, alsoAllowed?: string): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === alsoAllowed || alsoAllowed === "*") return;
  if (hostOf(origin) === host?.toLowerCase()) return;
  throw new HttpError(403, "requests from pages of other sites are rejected");
}

/**
 * Throws if a page of another site loads this as an image, a script or the like: it could not read the response, but could cause
 * work on the server. A displayed message is such a page as well. Browsers send the use in headers that pages cannot set.
 */
function rejectEmbedding({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] === "no-cors")
    throw new HttpError(403, "pages of other sites cannot embed this resource");
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

/** Access to an HTTP listener. */
export interface HttpAccess {
  /** Returns the user of a request; throws if it has no valid credentials. @default no authentication */
  readonly signIn?: (
    request: IncomingMessage,
    access: SignedAccess,
  ) => string | undefined | Promise<string | undefined>;
}

/** Methods that change nothing. A page of another site may send them, but cannot read the response. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns the user of a request, if any. Throws if the request may not use routes with this access. */
export async function authorize(
  request: IncomingMessage,
  { access, corsOrigin }: AccessPolicy,
  { signIn }: HttpAccess,
): Promise<string | undefined> {
  rejectEmbedding(request);
  if (!safeMethods.has(request.method ?? "")) rejectForeignOrigin(request, corsOrigin);
  // A browser's preflight request has no credentials.
  const isOpen = access === "anybody" || access === "keys" || request.method === "OPTIONS";
  return isOpen ? undefined : signIn?.(request, access);
}
