import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopback } from "../loopback.ts";

/**
 * Whether a request names this server as its host. A page of another site can make its own name mean 127.0.0.1 (DNS
 * rebinding) and then talk to a server on loopback as if it were of that site; its requests carry that name. A server
 * that other machines reach has names that are not known here, so nothing is checked there.
 */
export function namesThisServer(request: IncomingMessage, boundHost: string): boolean {
  if (hasTwoHosts(request)) return false;
  if (!isLoopback(boundHost)) return true;
  const [, address, name] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(request.headers.host ?? "") ?? [];
  const host = (address ?? name ?? "").toLowerCase();
  return isLoopback(host) || host.endsWith(".localhost");
}

/** RFC 9112, 3.2: to be refused. Node takes the first, and whoever stands before us may have looked at the second. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/** What a request with another's name gets. */
export function refuseForeignHost(response: ServerResponse): void {
  const text =
    "the Host header names another server: use localhost or the address that this one listens on\n";
  response.writeHead(403, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(text);
}
