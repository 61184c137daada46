import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import { packageFolder } from "../../package/package-info.ts";
import { HttpError, type HttpExchange, type HttpRoute } from "../http/http-route.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
};

/** The pages may only run, show and request content of this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The documentation, as built. `base` is the server's web path, "" or "/mail". */
export function docsRoutes(base: string): HttpRoute[] {
  // Read at the first request: most servers show no documentation.
  let site: Promise<ReadonlyMap<string, string>> | undefined;
  const readOnce = () => {
    site ??= readSite().catch((error: unknown) => {
      site = undefined;
      throw error;
    });
    return site;
  };
  return [
    // The links of the pages are relative: without the slash they would be wrong.
    {
      method: "GET",
      path: `${base}/docs`,
      access: "users",
      handle: ({ response }) =>
        void response.writeHead(308, { location: `${base}/docs/`, "content-length": 0 }).end(),
    },
    {
      method: "GET",
      path: `${base}/docs/*page`,
      access: "users",
      handle: async (exchange) => sendPage(exchange, await readOnce()),
    },
  ];
}

/** Reads all files of the site by their paths. They are stored as one compressed file, which is half as large as many. */
async function readSite(): Promise<ReadonlyMap<string, string>> {
  try {
    const packed = await readFile(new URL("dist/docs/site.json.br", packageFolder));
    const text = (await promisify(brotliDecompress)(packed)).toString();
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HttpError(404, "the documentation is not built: run `npm run build` in the checkout");
  }
}

async function sendPage(
  { request, response, params }: HttpExchange,
  site: ReadonlyMap<string, string>,
): Promise<void> {
  const name = params["page"] || "index.html";
  const text = site.get(name);
  if (text === undefined) return sendElsewhere(response, name, site);
  const isPacked = acceptsGzip(request);
  const body = isPacked ? await promisify(gzip)(text) : Buffer.from(text);
  response.writeHead(200, {
    "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain; charset=utf-8",
    "content-length": body.length,
    ...(isPacked && { "content-encoding": "gzip" }),
    vary: "accept-encoding",
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  });
  response.end(body);
}

/** Redirects from the path of a page without its ending, or with that of its source, such as `tutorial` and `tutorial.md`. */
function sendElsewhere(
  response: HttpExchange["response"],
  name: string,
  site: ReadonlyMap<string, string>,
): void {
  const page = `${name.replace(/\.md$|\/$/, "")}.html`;
  if (!site.has(page)) throw new HttpError(404, "no such page: /docs/ lists all pages");
  // Relative to the folder of the request, which a proxy may have under another path.
  const up = name.endsWith("/") ? "../" : "./";
  response
    .writeHead(302, { location: up + page.slice(page.lastIndexOf("/") + 1), "content-length": 0 })
    .end();
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers["accept-encoding"] ?? "");
  return accepted.split(",").some((each) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
