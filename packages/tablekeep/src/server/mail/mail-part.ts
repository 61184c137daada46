import { maxItemBytes } from "@tablekeep/client";
import type { Clock } from "@tablekeep/core";
import type { MailOptions } from "@tablekeep/mail";
import type { SmtpObserver } from "@tablekeep/mail/smtp";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Backend } from "../backend/open-backend.ts";
import type { ApiRoute } from "../http/http-route.ts";
import type { Listener } from "../listening/listener.ts";
import { smtpMetrics } from "../metrics/server-metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import type { ServerPart } from "../server-part.ts";
import { inboxRoutes, mailSchemas } from "./api/inbox-routes.ts";
import { messageRoutes } from "./api/message-routes.ts";
import { sessionRoutes } from "./api/session-routes.ts";
import { mailhogPart } from "./mailhog/mailhog-part.ts";
import { openServedMail, type ServedMail } from "./served-mail.ts";
import { smtpListener } from "./smtp-listener.ts";

/** The mail API. */
export function mailRoutes(served: ServedMail, clock: Clock): ApiRoute[] {
  return [...inboxRoutes(served, clock), ...messageRoutes(served), ...sessionRoutes(served)];
}

/** The mail of a server: its store with SMTP, MailHog's API and our own. */
export async function mailPart(backend: Backend, options: ResolvedServerOptions): Promise<ServerPart> {
  if (options.mail === false) return {};
  const served = await openServedMail(backend, options.mail, options);
  const { clock, logger, webPath, corsOrigin } = options;
  const smtp = smtpMetrics();
  const mailhog = mailhogPart(served, { clock, logger, webPath, corsOrigin });
  return {
    groups: [...(mailhog.groups ?? []), { routes: mailRoutes(served, clock) }],
    upgrades: mailhog.upgrades ?? [],
    schemas: mailSchemas,
    listeners: options.smtp ? [smtpOf(served, options.mail, options, smtp.observer)] : [],
    metrics: smtp.metrics,
    async close() {
      await served.decoder.close();
      await served.mail.close();
    },
  };
}

function smtpOf(
  { mail, transcripts, chaos, hostname }: ServedMail,
  { users, certificate, implicitTls = false, limits = {}, store }: MailConfig,
  { smtpHost: host, smtpPort, clock, logger }: ResolvedServerOptions,
  observer: SmtpObserver,
): Listener {
  const messageBytes = largestMessage(store);
  return smtpListener({
    place: { listener: "smtp", host, port: smtpPort, portFlag: "--smtp-port" },
    receiver: mail,
    hostname,
    checkPassword: users && passwordCheck(users, new SignInThrottle(clock)),
    certificate,
    implicitTls,
    transcripts,
    chaos,
    clock,
    logger,
    observer,
    limits: { ...(messageBytes === undefined ? {} : { messageBytes }), ...limits },
  });
}

/** The maximum message size of the store, for SMTP to announce; undefined for SMTP's own default. */
function largestMessage({ layout, maxMessageBytes }: MailOptions = {}): number | undefined {
  // The whole message is in one item.
  return layout === "mhdynamo" ? Math.min(maxMessageBytes ?? maxItemBytes, maxItemBytes) : maxMessageBytes;
}
