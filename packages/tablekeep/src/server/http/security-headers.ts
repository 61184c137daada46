import type { ServerResponse } from "node:http";

/** What every answer says to a browser, unless it says something else itself: a page has a policy of its own. */
const headers: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Sets them. What is given to `writeHead` later counts instead. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
