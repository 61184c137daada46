import { createHash } from "node:crypto";
import type { HttpRoute } from "./http-route.ts";
import { type StartPageFacts, startPageHtml, startPageStyle } from "./start-page-html.ts";

/** Nothing may be loaded or run, framed or sent anywhere; of styles only the page's own. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(startPageStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page that tells what runs where. `facts` is read at each request, when all listeners have started. */
export function startPageRoute(path: string, facts: StartPageFacts): HttpRoute {
  return {
    method: "GET",
    path,
    handle({ response }) {
      const html = startPageHtml(facts);
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-length": Buffer.byteLength(html),
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      response.end(html);
    },
  };
}
