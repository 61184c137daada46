import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { admit, type HttpAccess } from "./http-access.ts";
import { HttpRefusal } from "./http-refusal.ts";
import type { Manners } from "./http-route.ts";
import { namesThisServer } from "./own-host.ts";
import { refuseForeignOrigin } from "./own-origin.ts";

/** What takes a connection over that asks for another protocol than HTTP: a web socket. */
export interface UpgradeRoute extends Manners {
  readonly path: string;
  /** The connection is its own from here on. It ends it soon after `stopping` is aborted. */
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer, stopping: AbortSignal) => void;
}

/** Hands a connection to its route, or answers in HTTP why not and ends it. */
export async function upgradeRequest(
  routes: readonly UpgradeRoute[],
  { request, socket, head, stopping, host, access }: UpgradeRequest,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    const route = routes.find((each) => each.path === path);
    if (route === undefined) throw new HttpRefusal(404, "there is no web socket here");
    if (!namesThisServer(request, host)) throw new HttpRefusal(403, "the Host header names another server");
    // A web socket is a GET that a page of another site can read.
    refuseForeignOrigin(request, route.corsOrigin);
    await admit(request, route, access);
    route.take(request, socket, head, stopping);
  } catch (error) {
    const { status, headers } = error instanceof HttpRefusal ? error : new HttpRefusal(500, "");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} -\r\nconnection: close\r\ncontent-length: 0\r\n${lines.join("")}\r\n`);
  }
}

/** One request to leave HTTP. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly stopping: AbortSignal;
  /** The address that the listener is bound to. */
  readonly host: string;
  readonly access: HttpAccess;
}
