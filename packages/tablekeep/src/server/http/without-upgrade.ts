import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Whether a request asks for a web socket. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return /(^|[\s,])websocket\s*(,|$)/i.test(headers.upgrade ?? "");
}

/** What belongs to the offer of another protocol, or to the connection that it was made on. */
const ofConnection: ReadonlySet<string> = new Set(["upgrade", "http2-settings", "connection"]);

/**
 * Puts a request back into its connection, without the offer to go on in another protocol. To offer one is no demand:
 * Java's HttpClient and `curl --http2` offer HTTP/2 with any request. Node takes every offer as soon as web sockets are
 * served, and gives such a request to nobody else. The connection ends with the answer, so that this happens once on each.
 */
export function putBack(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!ofConnection.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  lines.push("connection: close", "", "");
  socket.unshift(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), head]));
}
