import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "./http-refusal.ts";

/**
 * Throws if a page of another site sent this request. Browsers name the page's origin on every request that could
 * change something; programs name none.
 */
export function refuseForeignOrigin(request: IncomingMessage, alsoAllowed?: string): void {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === alsoAllowed || alsoAllowed === "*") return;
  if (hostOf(origin) === host?.toLowerCase()) return;
  throw new HttpRefusal(403, "a page of another site sent this request");
}

/**
 * Throws if a page of another site loads this as an image, a script or the like: it could not read the answer, but make
 * the server work. A message that is shown is such a page, too. Browsers name the use in headers that pages cannot set.
 */
export function refuseEmbedding({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] === "cross-site" && headers["sec-fetch-mode"] === "no-cors")
    throw new HttpRefusal(403, "a page of another site cannot embed this");
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
