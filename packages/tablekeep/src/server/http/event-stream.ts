import type { Clock } from "@tablekeep/core";
import type { HttpExchange } from "./http-route.ts";
import { drained } from "./send-pieces.ts";

/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  /** @default a plain message */
  readonly event?: string;
  /** The id that a reconnecting client sends to resume. @default none */
  readonly id?: string;
  readonly data: string;
}

/** Proxies and browsers close a silent connection. */
const heartbeatMs = 15_000;

/**
 * Sends events, as objects or in wire format, for as long as the client is connected and the server runs. A client
 * that reads slower than events arrive slows down the source, so nothing accumulates here; one that reads nothing for a
 * minute is disconnected. HEAD does not start the source.
 */
export async function sendEvents(
  { request, response, signal, stopping, onStream }: HttpExchange,
  events: AsyncIterable<ServerSentEvent | string>,
  clock: Clock,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  onStream();
  request.socket.setNoDelay(true);
  response.write(":\n\n");
  // An event may be sent in several pieces, and a heartbeat between them would break it.
  let betweenEvents = true;
  let stopBeating = beat();
  function beat(): () => void {
    const write = () => {
      if (betweenEvents) response.write(":\n\n");
      stopBeating = beat();
    };
    return clock.after(heartbeatMs, write, { background: true });
  }
  try {
    for await (const event of events) {
      const text = typeof event === "string" ? event : wireForm(event);
      betweenEvents = text.endsWith("\n\n");
      if (!response.write(text)) await drained(response, { signal, clock });
    }
  } catch (error) {
    if (!signal.aborted && !stopping.aborted) throw error;
  } finally {
    stopBeating();
    response.end();
  }
}

function wireForm({ event, id, data }: ServerSentEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${field("event", event)}${field("id", id)}${lines.join("")}\n`;
}

/** A line break would start another field; our names and ids contain none. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, " ")}\n`;
}
