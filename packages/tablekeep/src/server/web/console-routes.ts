import { readFile } from "node:fs/promises";
import { packageFolder } from "../../package/package-info.ts";
import { HttpError, type HttpExchange, type HttpRoute } from "../http/http-route.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file of the console. */
export interface ConsoleFile {
  readonly body: Buffer;
  readonly type: string;
}

/** Reads a file of the built console by its name. */
async function readConsoleFile(name: string): Promise<ConsoleFile> {
  const type = /^\w+\.(\w+)$/.exec(name)?.[1];
  if (type === undefined || types[type] === undefined) throw new HttpError(404, "not found");
  try {
    return { body: await readFile(new URL(`dist/console/${name}`, packageFolder)), type: types[type] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HttpError(404, "the console is not built: run `npm run build` in the checkout");
  }
}

/** The page may only run and show content of this server. */
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

/**
 * The page in which the console runs code that the user types, such as a fold. It has no origin, may load nothing, and only the
 * console may show it. It needs `eval`; the policy of the console does not allow it.
 */
const sandboxPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** The console: its page and its assets. `base` is the server's web path, "" or "/mail". */
export function consoleRoutes(base: string): HttpRoute[] {
  return [
    {
      method: "GET",
      path: `${base}/`,
      access: "users",
      handle: (exchange) => sendConsoleFile(exchange, "index.html"),
    },
    {
      method: "GET",
      path: `${base}/assets/:name`,
      access: "users",
      handle: (exchange) => sendConsoleFile(exchange, exchange.params["name"] ?? ""),
    },
    // Its links are relative: without the slash they would be wrong.
    ...(base === "" ? [] : [slashRoute(base)]),
  ];
}

function slashRoute(base: string): HttpRoute {
  return {
    method: "GET",
    path: base,
    access: "users",
    handle: ({ response }) =>
      void response.writeHead(308, { location: `${base}/`, "content-length": 0 }).end(),
  };
}

async function sendConsoleFile({ response }: HttpExchange, name: string): Promise<void> {
  const { body, type } = await readConsoleFile(name);
  response.writeHead(200, {
    "content-type": type,
    "content-length": body.length,
    "content-security-policy": name === "sandbox.html" ? sandboxPolicy : contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
    "cache-control": "no-cache",
  });
  response.end(body);
}
