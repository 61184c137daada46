import type { IncomingMessage } from "node:http";
import type { Clock } from "@tablekeep/core";
import { createTranscripts } from "@tablekeep/mail/smtp";
import { HttpError, type HttpRoute } from "../../http/http-route.ts";
import type { Inboxes, OpenInbox } from "../inboxes/inboxes.ts";
import { routeToInbox } from "../inboxes/route-messages.ts";
import { reportOutcomes } from "../reports/report-outcomes.ts";
import type { ServedMail } from "../served-mail.ts";

export interface InboxPathsOptions {
  readonly clock: Clock;
  /** Whether the server has users: then each request must be authenticated, and the token of an inbox is accepted as well. */
  readonly hasUsers: boolean;
}

/** Makes the routes of one inbox. Their paths have the parameter `:inbox`. */
export type MakeRoutes = (served: ServedMail) => readonly HttpRoute[];

/** Routes that use the server's relays, for which the token of an inbox is not sufficient. */
const ofServer = /\/(?:release|relays|outgoing-smtp)$/;

/** The routes of all named inboxes: each request is answered by the routes of the inbox that its path names. */
export function inboxPaths(
  served: ServedMail,
  options: InboxPathsOptions,
): (make: MakeRoutes) => HttpRoute[] {
  const { inboxes } = served;
  const servedInbox = servedInboxes(served, options.clock);
  return (make) => {
    const made = new WeakMap<ServedMail, readonly HttpRoute[]>();
    const routesOf = (inbox: ServedMail) => {
      const routes = made.get(inbox) ?? make(inbox);
      made.set(inbox, routes);
      return routes;
    };
    return make(served).map(({ describe: _describe, ...route }, at) => ({
      ...route,
      hasOwnCredentials: async (request, params) =>
        !ofServer.test(route.path) &&
        (await inboxes.checkToken(params["inbox"] ?? "", bearerToken(request))) === "right",
      async handle(exchange) {
        const name = exchange.params["inbox"] ?? "";
        if (!options.hasUsers) await requireToken(inboxes, name, exchange.request);
        const { signal } = exchange;
        await routesOf(servedInbox(await inboxes.open(name, { signal })))[at]?.handle(exchange);
      },
    }));
  };
}

/** The mail of an inbox as routes need it. The sessions and relays are those of the whole server, and are not shown. */
function servedInboxes(served: ServedMail, clock: Clock): (inbox: OpenInbox) => ServedMail {
  const made = new WeakMap<OpenInbox, ServedMail>();
  return (inbox) => {
    const known = made.get(inbox);
    if (known !== undefined) return known;
    const { rules, hostname, logger } = served;
    const { mail, decoded, chaos } = inbox;
    const routed = routeToInbox(inbox.name, served.inboxes.openForMessage);
    const intake = reportOutcomes(routed, { rules, hostname, clock, logger });
    const its = { ...served, mail, decoded, chaos, intake, transcripts: createTranscripts(clock) };
    made.set(inbox, its);
    return its;
  };
}

/** Throws if an inbox has a token and a request does not have it. */
export async function requireToken(
  inboxes: Pick<Inboxes, "checkToken">,
  name: string,
  request: IncomingMessage,
): Promise<void> {
  if ((await inboxes.checkToken(name, bearerToken(request))) !== "wrong") return;
  throw new HttpError(401, "authentication required: the token of this inbox", {
    "www-authenticate": "Bearer",
  });
}

/** The bearer token of a request; "" if it has none. */
function bearerToken({ headers }: IncomingMessage): string {
  return /^Bearer +([\w.~+/=-]{1,512})$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}
