import { readFileSync } from "node:fs";
import type { HttpRoute } from "../http/http-route.ts";
import { packageFolder } from "../package-folder.ts";

/** The page may run and show what this server gives it, and nothing else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/** The inbox page and what it is made of. `base` is MailHog's web path. */
export function inboxPageRoutes(base: string): HttpRoute[] {
  return [
    assetRoute(`${base}/`, "inbox.html"),
    assetRoute(`${base}/assets/inbox.css`, "inbox.css"),
    assetRoute(`${base}/assets/inbox.js`, "inbox.js"),
  ];
}

function assetRoute(path: string, name: string): HttpRoute {
  const body = readFileSync(new URL(`assets/${name}`, packageFolder));
  return {
    method: "GET",
    path,
    handle({ response }) {
      response.writeHead(200, {
        "content-type": types[name.replace(/^.*\./, "")] ?? "application/octet-stream",
        "content-length": body.length,
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
      });
      response.end(body);
    },
  };
}
