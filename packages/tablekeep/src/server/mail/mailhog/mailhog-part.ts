import type { IncomingMessage } from "node:http";
import type { Clock, Logger } from "@tablekeep/core";
import type { HttpExchange } from "../../http/http-exchange.ts";
import { HttpRefusal } from "../../http/http-refusal.ts";
import type { HttpRoute } from "../../http/http-route.ts";
import { refuseForeignOrigin } from "../../http/own-origin.ts";
import type { ServerPart } from "../../server-part.ts";
import type { ServedMail } from "../served-mail.ts";
import { answerMailhogError } from "./mailhog-answers.ts";
import { mailSocketRoute } from "./mailhog-push.ts";
import { firstVersion, secondVersion } from "./mailhog-routes.ts";

/** How MailHog's API is offered. */
export interface MailhogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the paths begin with: "" or "/mail". @default "" */
  readonly webPath?: string | undefined;
  /** The one other origin whose pages may use it. @default none */
  readonly corsOrigin?: string | undefined;
  /** Throws if a request may not come in. @default everybody may */
  readonly signIn?: ((request: IncomingMessage) => void | Promise<void>) | undefined;
}

type Method = HttpRoute["method"];

const methods: Readonly<Record<string, readonly Method[]>> = {
  v1: ["GET", "POST", "DELETE"],
  v2: ["GET", "PUT", "POST", "DELETE"],
};

/** MailHog's API, both versions, with its web socket. */
export function mailhogPart(served: ServedMail, options: MailhogOptions): ServerPart {
  const { clock, logger, webPath: base = "", corsOrigin, signIn } = options;
  const guard = async (exchange: HttpExchange) => {
    const { request, response } = exchange;
    if (corsOrigin !== undefined) allowOrigin(exchange, corsOrigin);
    // A browser asks for leave before it signs in.
    if (request.method === "OPTIONS") return;
    if (request.method !== "GET" && request.method !== "HEAD") refuseForeignOrigin(request, corsOrigin);
    await signIn?.(request);
    response.setHeader("cache-control", "no-store");
  };
  return {
    groups: [
      {
        routes: [
          ...firstVersion(base, served, clock),
          ...secondVersion(base, served, logger),
          ...everythingElse(`${base}/api/v1/*rest`),
          ...everythingElse(`${base}/api/v2/*rest`),
        ],
        guard,
        answerError: answerMailhogError(logger),
      },
    ],
    upgrades: [
      mailSocketRoute({
        path: `${base}/api/v2/websocket`,
        mail: served.mail,
        clock,
        corsOrigin,
        guard: signIn,
      }),
    ],
  };
}

function allowOrigin({ request, response }: HttpExchange, corsOrigin: string): void {
  const version = /\/api\/(v[12])\//.exec(request.url ?? "")?.[1] ?? "v1";
  response.setHeader("access-control-allow-origin", corsOrigin);
  response.setHeader("access-control-allow-methods", ["OPTIONS", ...(methods[version] ?? [])].join(","));
  response.setHeader("access-control-allow-headers", "Content-Type, Authorization");
  if (corsOrigin !== "*") response.setHeader("vary", "origin");
}

/** There is no 405 there: a wrong method is a wrong path. A slash too many is led back. */
function everythingElse(path: string): HttpRoute[] {
  const handle = ({ request, response, params }: HttpExchange) => {
    const rest = params["rest"] ?? "";
    if (request.method === "OPTIONS") {
      response.writeHead(200, { "content-length": 0 }).end();
    } else if (request.method === "GET" && rest.length > 1 && rest.endsWith("/")) {
      const clean = `/${(request.url ?? "").replace(/\?.*$/s, "").split("/").filter(Boolean).join("/")}`;
      response.writeHead(301, { location: clean, "content-length": 0 }).end();
    } else throw new HttpRefusal(404, "there is nothing here");
  };
  const all: readonly Method[] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
  return all.map((method) => ({ method, path, handle }));
}
