import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "@tablekeep/core";
import type { HttpExchange } from "./http-route.ts";

/** How long a client may leave sent data unread, in milliseconds. */
const unreadMs = 60_000;

/** Waits until the client has read what was written, after a write that returned false. Disconnects a client that reads nothing for a minute. */
export async function drained(
  response: ServerResponse,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const cancel = clock.after(unreadMs, () => response.destroy(), { background: true });
  await once(response, "drain", { signal }).finally(cancel);
}

/**
 * Sends a long response piece by piece, no faster than the client reads. The first piece is read before the head is sent, so that its
 * failure can still be answered. A later failure cuts the connection, so that the client does not mistake a part for the whole. HEAD reads nothing.
 */
export async function sendPieces(
  { request, response, signal, onStream }: HttpExchange,
  pieces: AsyncGenerator<string, void, undefined>,
  { headers, clock }: { readonly headers: Readonly<Record<string, string>>; readonly clock: Clock },
): Promise<void> {
  const head = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers };
  if (request.method === "HEAD") {
    response.writeHead(200, head).end();
    return;
  }
  const first = await pieces.next();
  onStream();
  response.writeHead(200, head);
  try {
    for (let piece = first; piece.done !== true; piece = await pieces.next()) {
      if (!response.write(piece.value)) await drained(response, { signal, clock });
    }
    response.end();
  } catch (error) {
    response.destroy();
    if (!signal.aborted) throw error;
  } finally {
    await pieces.return();
  }
}
