import type { IncomingMessage } from "node:http";
import type { Clock, Logger } from "@tablekeep/core";
import type { HttpExchange, HttpRoute } from "../../http/http-route.ts";
import type { ServerPart } from "../../server-part.ts";
import type { MakeRoutes } from "../api/inbox-paths.ts";
import type { ServedMail } from "../served-mail.ts";
import { answerMailhogError, noSuchPath } from "./mailhog-answers.ts";
import { mailSocketRoute } from "./mailhog-push.ts";
import { firstVersion, secondVersion } from "./mailhog-routes.ts";

/** Options of MailHog's API. */
export interface MailhogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The prefix of the paths: "" or "/mail". @default "" */
  readonly webPath?: string;
  /** The one other origin whose pages may use it. @default none */
  readonly corsOrigin?: string;
  /** Makes the routes of the named inboxes. @default there are none */
  readonly inInboxes?: (make: MakeRoutes) => HttpRoute[];
  /** Opens an inbox for a request. @default there are none */
  readonly openInbox?: (name: string, request: IncomingMessage) => Promise<Pick<ServedMail, "mail">>;
}

type Method = HttpRoute["method"];

const methods: Readonly<Record<string, readonly Method[]>> = {
  v1: ["GET", "POST", "DELETE"],
  v2: ["GET", "PUT", "POST", "DELETE"],
};

/** MailHog's API, both versions, with its web socket. */
export function mailhogPart(served: ServedMail, options: MailhogOptions): ServerPart {
  const { clock, logger, webPath: base = "", corsOrigin, inInboxes = () => [], openInbox } = options;
  const routesOf = (path: string, of: ServedMail) => [
    ...firstVersion(path, of, clock),
    ...secondVersion(path, of, clock),
    ...everythingElse(`${path}/api/v1/*rest`),
    ...everythingElse(`${path}/api/v2/*rest`),
  ];
  const before = (exchange: HttpExchange) => {
    if (corsOrigin !== undefined) allowOrigin(exchange, corsOrigin);
    exchange.response.setHeader("cache-control", "no-store");
  };
  return {
    groups: [
      {
        routes: [...routesOf(base, served), ...inInboxes((inbox) => routesOf(`${base}/inbox/:inbox`, inbox))],
        corsOrigin,
        before,
        answerError: answerMailhogError(logger),
      },
    ],
    upgrades: [
      mailSocketRoute({
        path: `${base}/api/v2/websocket`,
        corsOrigin,
        mailOf: async () => served.mail,
        clock,
      }),
      ...(openInbox === undefined
        ? []
        : [
            mailSocketRoute({
              path: `${base}/inbox/:inbox/api/v2/websocket`,
              corsOrigin,
              mailOf: async (request) => (await openInbox(inboxName(request.url), request)).mail,
              clock,
            }),
          ]),
    ],
  };
}

function inboxName(url = ""): string {
  return decodeURIComponent(/\/inbox\/([^/?]+)\/api\//.exec(url)?.[1] ?? "");
}

function allowOrigin({ request, response }: HttpExchange, corsOrigin: string): void {
  const version = /\/api\/(v[12])\//.exec(request.url ?? "")?.[1] ?? "v1";
  response.setHeader("access-control-allow-origin", corsOrigin);
  response.setHeader("access-control-allow-methods", ["OPTIONS", ...(methods[version] ?? [])].join(","));
  response.setHeader("access-control-allow-headers", "Content-Type, Authorization");
  if (corsOrigin !== "*") response.setHeader("vary", "origin");
}

/** MailHog has no 405: a wrong method is a wrong path. Extra slashes are redirected. */
function everythingElse(path: string): HttpRoute[] {
  const handle = ({ request, response, params }: HttpExchange) => {
    const rest = params["rest"] ?? "";
    if (request.method === "OPTIONS") {
      response.writeHead(200, { "content-length": 0 }).end();
    } else if (request.method === "GET" && rest.length > 1 && rest.endsWith("/")) {
      const clean = `/${(request.url ?? "").replace(/\?.*$/s, "").split("/").filter(Boolean).join("/")}`;
      response.writeHead(301, { location: clean, "content-length": 0 }).end();
    } else throw noSuchPath();
  };
  const all: readonly Method[] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
  return all.map((method) => ({ method, path, access: "passwords", handle }));
}
