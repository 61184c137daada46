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

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
