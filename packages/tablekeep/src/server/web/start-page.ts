import { createHash } from "node:crypto";
import type { HttpRoute } from "../http/http-route.ts";
import { escapeHtml } from "../http/responses.ts";
import { addressToOpen, type ListenerAddress } from "../listening/listener.ts";

/** The content of the start page. */
export interface StartPageFacts {
  readonly version: string;
  /** The location of the data. */
  readonly storage: string;
  readonly listeners: readonly ListenerAddress[];
}

/** The page's own style sheet, apart because its hash is part of the content security policy. */
export const startPageStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dfe7; --card: #fff; --page: #f4f6f9;
  --accent: #1f6f54; --code: #eef2f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf2; --soft: #9aa7b8; --line: #2c3644; --card: #171e28;
  --page: #0f141b; --accent: #6fcfa6; --code: #0f141b; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 4rem 1rem; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 46rem; margin: 0 auto; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -0.02em; }
h1 small { margin-left: .4rem; color: var(--soft); font-size: .95rem; font-weight: 400; letter-spacing: 0; }
.lead { margin: .35rem 0 2rem; color: var(--soft); }
section { margin: 0 0 1.25rem; padding: 1.1rem 1.4rem 1.3rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .7rem; }
h2 { margin: 0 0 .6rem; font-size: 1rem; }
.on { display: inline-block; width: .55rem; height: .55rem; margin-right: .5rem; border-radius: 50%;
  background: var(--accent); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .45rem 1rem .45rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
tr:first-child > * { border-top: 0; }
tr > * { overflow-wrap: anywhere; }
tr > :last-child { padding-right: 0; padding-bottom: 0; }
th { width: 1%; font-weight: 600; white-space: nowrap; }
td.purpose { color: var(--soft); }
a { color: var(--accent); }
code, pre { font: .88rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: .4rem 0 0; padding: .7rem .9rem; overflow-x: auto; background: var(--code); border-radius: .4rem;
  white-space: pre-wrap; }
p { margin: 0; }
p + p { margin-top: .5rem; }
pre + p { margin-top: .9rem; }
@media (max-width: 34rem) { body { padding-top: 1.5rem; } th, td { display: block; width: auto; padding-bottom: 0; }
  td { border-top: 0; padding-top: 0; } td:last-child { padding-bottom: .6rem; } }
`;

/** The whole page: one document that loads nothing else. */
export function startPageHtml(facts: StartPageFacts, webPath = ""): string {
  const self = facts.listeners.find((listener) => listener.name === "http")?.url ?? "/";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tablekeep</title>
<style>${startPageStyle}</style>
</head>
<body>
<main>
<h1>Tablekeep <small>${escapeHtml(facts.version)}</small></h1>
<p class="lead">Event journals, snapshots, device shadows and mail in DynamoDB.</p>
<section>
<h2><span class="on"></span>Running</h2>
<table>
${facts.listeners.map((each) => listenerRow(addressToOpen(each, webPath))).join("\n")}
</table>
</section>
<section>
<h2>Data</h2>
<p><code>${escapeHtml(facts.storage)}</code></p>
<p>All data is stored here. Set another folder with <code>--data</code>.</p>
</section>
<section>
<h2>Try it</h2>
<p>Check that it runs:</p>
<pre>curl ${escapeHtml(self)}healthz</pre>
${dynamoDbHint(facts)}<p>See all commands:</p>
<pre>npx tablekeep --help</pre>
</section>
</main>
</body>
</html>
`;
}

function listenerRow({ name, url, purpose }: ListenerAddress): string {
  const address = escapeHtml(url);
  const shown = url.startsWith("http") ? `<a href="${address}">${address}</a>` : `<code>${address}</code>`;
  return `<tr><th scope="row">${escapeHtml(name)}</th><td>${shown}</td><td class="purpose">${escapeHtml(purpose)}</td></tr>`;
}

function dynamoDbHint({ listeners }: StartPageFacts): string {
  const url = listeners.find(({ name }) => name === "dynamodb")?.url;
  if (url === undefined) return "";
  const endpoint = escapeHtml(url.replace(/\/$/, ""));
  return `<p>List the tables. Any AWS SDK works too, with any credentials unless keys are configured.</p>
<pre>npx tablekeep table list --endpoint ${endpoint}</pre>
<pre>aws dynamodb list-tables --endpoint-url ${endpoint} --region us-east-1</pre>
`;
}

/** Nothing may be loaded, run, framed or sent anywhere; only the page's own styles apply. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(startPageStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The start page with all listeners. `facts` is read at each request, when all listeners have started. */
export function startPageRoute(path: string, facts: StartPageFacts, webPath: string): HttpRoute {
  return {
    method: "GET",
    path,
    access: "users",
    handle({ response }) {
      const html = startPageHtml(facts, webPath);
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
