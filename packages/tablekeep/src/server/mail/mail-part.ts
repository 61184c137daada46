import type { IncomingMessage } from "node:http";
import { maxItemBytes } from "@tablekeep/client";
import type { Clock } from "@tablekeep/core";
import type { MailOptions } from "@tablekeep/mail";
import {
  defaultSmtpLimits,
  type SmtpObserver,
  type SmtpPasswordCheck,
  type SmtpReply,
  smtpReply,
} from "@tablekeep/mail/smtp";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Users } from "../auth/secret-files.ts";
import type { Backend } from "../backend/open-backend.ts";
import type { ApiRoute, HttpRoute } from "../http/http-route.ts";
import type { Listener } from "../listening/listener.ts";
import type { RecipientOutcome } from "../mail-rules/recipient-rules.ts";
import { smtpMetrics } from "../metrics/server-metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import type { ServerPart } from "../server-part.ts";
import { inboxPaths, requireToken } from "./api/inbox-paths.ts";
import { inboxRoutes, mailSchemas } from "./api/inbox-routes.ts";
import { lintRoutes } from "./api/lint-routes.ts";
import { markRoutes } from "./api/mark-routes.ts";
import { messageRoutes } from "./api/message-routes.ts";
import { inboxAdminRoutes } from "./api/named-inbox-routes.ts";
import { sessionRoutes } from "./api/session-routes.ts";
import { startForwarding } from "./forward/start-forwarding.ts";
import { imapListener } from "./imap-listener.ts";
import { inboxOfUser, userWithoutInbox } from "./inboxes/choose-inbox.ts";
import { mailhogPart } from "./mailhog/mailhog-part.ts";
import { sendRoutes } from "./send/send-routes.ts";
import { sesQueryGroup } from "./send/ses/ses-query-routes.ts";
import { sesV2Group } from "./send/ses/ses-v2-routes.ts";
import { openServedMail, type ServedMail } from "./served-mail.ts";
import { smtpListener } from "./smtp-listener.ts";

/** The mail API. */
export function mailRoutes(served: ServedMail, clock: Clock): ApiRoute[] {
  return [
    ...inboxRoutes(served, clock),
    ...messageRoutes(served),
    ...markRoutes(served),
    ...lintRoutes(served),
    ...sessionRoutes(served),
  ];
}

/** The mail of a server: its store with SMTP, MailHog's API and our own. */
export async function mailPart(backend: Backend, options: ResolvedServerOptions): Promise<ServerPart> {
  if (options.mail === false) return {};
  const served = await openServedMail(backend, options.mail, options);
  const { clock, logger, webPath, corsOrigin, accessKeys } = options;
  const maxMessageBytes = largestMessage(options.mail.store) ?? defaultSmtpLimits.messageBytes;
  const sends = { ...served, maxMessageBytes };
  const ses = { ...sends, accessKeys, clock, logger };
  const smtp = smtpMetrics();
  const forwards = startForwarding(served, backend, options.mail, options);
  const hasUsers = options.users !== undefined || options.tokens !== undefined;
  const hasInboxes = options.mail.store?.layout !== "mhdynamo";
  const inInboxes = hasInboxes ? inboxPaths(served, { clock, hasUsers }) : () => [];
  const openInbox = async (name: string, request: IncomingMessage) => {
    if (!hasUsers) await requireToken(served.inboxes, name, request);
    return served.inboxes.open(name);
  };
  const mailhog = mailhogPart(served, {
    clock,
    logger,
    webPath,
    corsOrigin,
    inInboxes,
    openInbox: hasInboxes ? openInbox : undefined,
  });
  const inInbox = (route: HttpRoute) => ({ ...route, path: `${webPath}/inbox/:inbox${route.path}` });
  return {
    groups: [
      ...(mailhog.groups ?? []),
      { routes: [...mailRoutes(served, clock), ...sendRoutes(sends)] },
      { routes: hasInboxes ? inboxAdminRoutes(served, { webPath, hasUsers }) : [] },
      { routes: inInboxes((inbox) => mailRoutes(inbox, clock).map(inInbox)) },
      sesV2Group(ses),
      sesQueryGroup(ses),
    ],
    upgrades: mailhog.upgrades ?? [],
    schemas: mailSchemas,
    listeners: [
      ...(options.smtp ? [smtpOf(served, options.mail, options, smtp.observer)] : []),
      ...(options.imapPort === undefined
        ? []
        : [imapListener(served, options.mail, options, { port: options.imapPort, table: backend.port })]),
    ],
    metrics: [...smtp.metrics, forwards.metric],
    async close() {
      await forwards.stop();
      await served.decoder.close();
      await served.linter.close();
      await served.inboxes.close();
      await served.mail.close();
    },
  };
}

function smtpOf(
  { intake, inboxes, rules, transcripts, chaos, hostname }: ServedMail,
  { users, certificate, implicitTls = false, strict, limits = {}, store }: MailConfig,
  { smtpHost: host, smtpPort, clock, logger }: ResolvedServerOptions,
  observer: SmtpObserver,
): Listener {
  const messageBytes = largestMessage(store);
  return smtpListener({
    place: { listener: "smtp", host, port: smtpPort, portFlag: "--smtp-port" },
    receiver: intake,
    rejectRecipient: (address) => rejectionOf(rules(address)),
    hostname,
    checkPassword: users && inboxPasswordCheck(users, clock),
    certificate,
    implicitTls,
    strict,
    transcripts,
    chaos,
    chaosOf: (user) => inboxes.chaosOf(inboxOfUser(user) ?? ""),
    clock,
    logger,
    observer,
    limits: { ...(messageBytes === undefined ? {} : { messageBytes }), ...limits },
  });
}

/** A user of the file may add an inbox to the name: `ann+branch`. */
function inboxPasswordCheck(users: Users, clock: Clock): SmtpPasswordCheck {
  const check = passwordCheck(users, new SignInThrottle(clock));
  return (user, password, address) =>
    check(users.has(user) ? user : userWithoutInbox(user), password, address);
}

function rejectionOf(outcome: RecipientOutcome | undefined): SmtpReply | undefined {
  return outcome?.kind === "reject" ? smtpReply(outcome.code, outcome.text) : undefined;
}

/** The maximum message size of the store, for SMTP to announce; undefined for SMTP's own default. */
function largestMessage({ layout, maxMessageBytes }: MailOptions = {}): number | undefined {
  // The whole message is in one item.
  return layout === "mhdynamo" ? Math.min(maxMessageBytes ?? maxItemBytes, maxItemBytes) : maxMessageBytes;
}
