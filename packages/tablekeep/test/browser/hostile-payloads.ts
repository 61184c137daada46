import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { xssPayloads } from "./xss-payloads.ts";

/** Payloads that point to a separate server, and the requests that reach it. */
export interface HostilePayloads extends Disposable {
  readonly payloads: readonly string[];
  /** The requests: showing data must send none. */
  readonly tracked: readonly string[];
  /** Every TCP connection, even without a request, with what was shown at that time. */
  readonly connections: readonly string[];
  /** The requests with their headers. */
  readonly requests: readonly IncomingMessage[];
  /** A URL of this server. */
  readonly away: string;
  /** Names what is shown from now on. */
  shows(what: string): void;
}

/** Starts the server that hostile payloads point to. */
export async function hostilePayloads(): Promise<HostilePayloads> {
  const requests: IncomingMessage[] = [];
  const connections: string[] = [];
  const sockets = new Set<Socket>();
  let shown = "";
  const tracker = createServer((request, response) => {
    requests.push(request);
    const to = new URL(request.url ?? "/", "http://tracker").searchParams.get("redirect");
    if (to === null) response.setHeader("content-type", "text/html").end("<title>away</title>you are away");
    else response.writeHead(302, { location: to }).end();
  });
  tracker.on("connection", (socket) => {
    sockets.add(socket);
    connections.push(shown);
  });
  await new Promise<void>((resolve) => tracker.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${(tracker.address() as AddressInfo).port}/x`;
  const away = `http://${place}`;
  return {
    payloads: xssPayloads.map((payload) =>
      payload
        .replaceAll("AWAYS", `https://${place}`)
        .replaceAll("AWAY", away)
        .replaceAll("OWN", "/api/v3/mail/wait?timeoutMs=1"),
    ),
    get tracked() {
      return requests.map(({ url }) => url ?? "");
    },
    connections,
    requests,
    away,
    shows(what) {
      shown = what;
    },
    [Symbol.dispose]() {
      tracker.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
