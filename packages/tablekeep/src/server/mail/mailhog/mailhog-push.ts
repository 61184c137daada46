import type { IncomingMessage } from "node:http";
import { type Clock, linkSignals } from "@tablekeep/core";
import type { Mail, MailMessage } from "@tablekeep/mail";
import { type WebSocket, WebSocketServer } from "ws";
import { HttpError } from "../../http/http-route.ts";
import type { UpgradeRoute } from "../../http/upgrades.ts";
import { inTurns } from "./send-messages.ts";

/** MailHog's times: the interval of pings, and the deadline for the pong. */
const pingEveryMs = 54_000;
const pongWithinMs = 60_000;

/** The maximum number of open web sockets. */
const maxSockets = 256;

/** Every message that arrives from now on, on any instance, with its content. */
async function* arrivals(mail: Mail, signal: AbortSignal): AsyncGenerator<MailMessage, void, undefined> {
  for await (const { id } of mail.watch({ signal })) {
    // It may have been deleted already.
    const message = await mail.load(id, { signal });
    if (message !== undefined) yield message;
  }
}

/** `/api/v1/events`: a server-sent event for each message, in pieces. */
export async function* arrivalEvents(
  mail: Mail,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for await (const message of arrivals(mail, signal)) {
    yield "data: ";
    yield* inTurns(message.mailhogJson({ indent: 2, linePrefix: "data: " }));
    yield "\n\n";
  }
}

/** Dependencies of MailHog's WebSocket. */
export interface SocketRouteOptions {
  readonly path: string;
  /** The one other origin whose pages may listen. @default none */
  readonly corsOrigin?: string;
  /** The store that a request names. Rejects with an {@link HttpError} if the client has no access to it. */
  readonly mailOf: (request: IncomingMessage) => Promise<Mail>;
  readonly clock: Clock;
}

/** `/api/v2/websocket`: a text frame for each message. */
export function mailSocketRoute({ path, corsOrigin, mailOf, clock }: SocketRouteOptions): UpgradeRoute {
  const server = new WebSocketServer({ noServer: true, maxPayload: 125, clientTracking: true });
  return {
    path,
    access: "passwords",
    corsOrigin,
    serve({ request, socket, head, stopping }) {
      if (server.clients.size >= maxSockets) {
        socket.end("HTTP/1.1 503 -\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      const reject = (error: unknown) => {
        const status = error instanceof HttpError ? error.status : 503;
        socket.end(`HTTP/1.1 ${status} -\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      };
      mailOf(request).then((mail) => {
        const onOpen = (client: WebSocket) => void serveClient(client, mail, clock, stopping);
        server.handleUpgrade(request, socket, head, onOpen);
      }, reject);
    },
  };
}

async function serveClient(
  client: WebSocket,
  mail: Mail,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const gone = linkSignals(stopping);
  client.on("close", () => gone.abort());
  client.on("error", () => client.terminate());
  const stopBeating = beat(client, clock);
  try {
    for await (const message of arrivals(mail, gone.signal)) {
      for await (const piece of inTurns(message.mailhogJson())) await sendPiece(client, piece, false);
      await sendPiece(client, "\n", true);
    }
    client.close(1001);
  } catch {
    // The client is gone or too slow, or the store is unreachable: in every case the client reconnects.
    client.close(1011);
  } finally {
    stopBeating();
  }
}

/** Sends a piece of a text message. Resolves once it is on its way. */
function sendPiece(client: WebSocket, piece: string, fin: boolean): Promise<void> {
  return new Promise((sent, failed) => {
    client.send(piece, { fin }, (error) => (error ? failed(error) : sent()));
  });
}

/** Pings the client regularly. */
function beat(client: WebSocket, clock: Clock): () => void {
  let cancelCut = () => {};
  let cancelPing = () => {};
  const schedule = () => {
    const ping = () => {
      client.ping();
      schedule();
    };
    cancelPing = clock.after(pingEveryMs, ping, { background: true });
  };
  const extend = () => {
    cancelCut();
    cancelCut = clock.after(pingEveryMs + pongWithinMs, () => client.terminate(), { background: true });
  };
  client.on("pong", extend);
  extend();
  schedule();
  return () => {
    cancelCut();
    cancelPing();
  };
}
