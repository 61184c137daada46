import { once } from "node:events";
import type { Clock } from "@tablekeep/core";
import type { HttpExchange } from "./http-route.ts";

/** How long a client may leave sent data unread, in milliseconds. */
const unreadMs = 60_000;

/**
 * Sends a long response piece by piece. A client that reads slower than pieces come slows down their source; one that reads nothing
 * for a minute is disconnected. The first piece is read before the head is sent, so that its failure is still answered; a later one cuts the connection,
 * because the client must not take the rest for the whole. HEAD reads nothing.
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
      if (response.write(piece.value)) continue;
      const cancel = clock.after(unreadMs, () => response.destroy(), { background: true });
      await once(response, "drain", { signal }).finally(cancel);
    }
    response.end();
  } catch (error) {
    response.destroy();
    if (!signal.aborted) throw error;
  } finally {
    await pieces.return();
  }
}
