import { maxItemBytes } from "@tablekeep/client";
import type { MailOptions } from "@tablekeep/mail";
import { Attempts } from "../auth/attempts.ts";
import { passwordCheck } from "../auth/password-check.ts";
import type { Listener } from "../listener.ts";
import { smtpMetrics } from "../metrics/smtp-metrics.ts";
import type { Backend } from "../open-backend.ts";
import type { ResolvedServerOptions } from "../server-options.ts";
import type { ServerPart } from "../server-part.ts";
import { smtpListener } from "../smtp/smtp-listener.ts";
import type { SmtpWatch } from "../smtp/smtp-watch.ts";
import { mailOpenApi } from "./api/mail-openapi.ts";
import { mailRoutes } from "./api/mail-routes.ts";
import type { MailConfig } from "./mail-config.ts";
import { mailhogPart } from "./mailhog/mailhog-part.ts";
import { openServedMail, type ServedMail } from "./served-mail.ts";

/** The mail of a server: SMTP that leads into its store, MailHog's API on it, and our own. */
export async function mailPart(backend: Backend, options: ResolvedServerOptions): Promise<ServerPart> {
  if (options.mail === false) return {};
  const served = await openServedMail(backend, options.mail, options);
  const { clock, logger, webPath, corsOrigin } = options;
  const smtp = smtpMetrics();
  const mailhog = mailhogPart(served, { clock, logger, webPath, corsOrigin });
  return {
    groups: [...(mailhog.groups ?? []), { access: "users", routes: mailRoutes(served, clock) }],
    upgrades: mailhog.upgrades ?? [],
    openApi: mailOpenApi,
    listeners: options.smtp ? [smtpOf(served, options.mail, options, smtp.watch)] : [],
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
  watch: SmtpWatch,
): Listener {
  const messageBytes = largestMessage(store);
  return smtpListener({
    place: { listener: "smtp", host, port: smtpPort, portFlag: "--smtp-port" },
    sink: mail,
    hostname,
    passwordFits: users && passwordCheck(users, new Attempts(clock)),
    certificate,
    implicitTls,
    transcripts,
    chaos,
    clock,
    logger,
    watch,
    limits: { ...(messageBytes === undefined ? {} : { messageBytes }), ...limits },
  });
}

/** The most that the store can take, for SMTP to announce; undefined for SMTP's own default. */
function largestMessage({ layout, maxMessageBytes }: MailOptions = {}): number | undefined {
  // One item holds all of a message.
  return layout === "mhdynamo" ? Math.min(maxMessageBytes ?? maxItemBytes, maxItemBytes) : maxMessageBytes;
}
