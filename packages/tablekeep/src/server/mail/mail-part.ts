import type { IncomingMessage } from "node:http";
import { maxItemBytes, waitWithin } from "@tablekeep/client";
import type { Clock } from "@tablekeep/core";
import type { MailOptions } from "@tablekeep/mail";
import {
  type Chaos,
  defaultSmtpLimits,
  type SmtpObserver,
  type SmtpPasswordCheck,
  type SmtpReply,
  smtpReply,
} from "@tablekeep/mail/smtp";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Users } from "../auth/secret-files.ts";
import type { Backend } from "../backend/open-backend.ts";
import type { ApiRoute, HttpRoute, RouteGroup } from "../http/http-route.ts";
import type { Listener } from "../listening/listener.ts";
import { smtpMetrics } from "../metrics/server-metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import type { OnClose, ServerPart } from "../server-part.ts";
import type { RecipientOutcome } from "../setting-files/recipient-rules.ts";
import { inboxPaths, requireToken } from "./api/inbox-paths.ts";
import { inboxRoutes } from "./api/inbox-routes.ts";
import { lintRoutes } from "./api/lint-routes.ts";
import { markRoutes } from "./api/mark-routes.ts";
import { mailSchemas } from "./api/message-json.ts";
import { messageRoutes } from "./api/message-routes.ts";
import { inboxAdminRoutes } from "./api/named-inbox-routes.ts";
import { sessionRoutes } from "./api/session-routes.ts";
import { startForwarding } from "./forward/start-forwarding.ts";
import { imapListener } from "./imap-listener.ts";
import { chooseInbox, userWithoutInbox } from "./inboxes/choose-inbox.ts";
import { inboxListenTargets } from "./inboxes/inbox-definition.ts";
import type { Inboxes } from "./inboxes/inboxes.ts";
import { routeToInbox } from "./inboxes/route-messages.ts";
import { mailhogPart } from "./mailhog/mailhog-part.ts";
import { reportOutcomes } from "./reports/report-outcomes.ts";
import { sendRoutes } from "./send/send-routes.ts";
import type { SesOptions } from "./send/ses/ses-access.ts";
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
export async function mailPart(
  backend: Backend,
  options: ResolvedServerOptions,
  onClose: OnClose,
): Promise<ServerPart> {
  if (options.mail === false) return {};
  const served = await openServedMail(backend, options.mail, options);
  onClose(async () => {
    await served.decoder.close();
    await served.linter.close();
    await served.inboxes.close();
    await served.mail.close();
  });
  const { clock, logger, webPath, corsOrigin, accessKeys } = options;
  const maxMessageBytes = largestMessage(options.mail.store) ?? defaultSmtpLimits.messageBytes;
  const sends = { ...served, maxMessageBytes };
  const ses = { ...sends, accessKeys, clock, logger };
  const smtp = smtpMetrics();
  const forwards = startForwarding(served, backend, options.mail, options);
  onClose(() => forwards.stop());
  // A new hook begins with the next message, so no message may arrive before it has its position.
  await forwards.started();
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
  /** The same group for the messages of each inbox. */
  const inEachInbox = (group: (sends: SesOptions) => RouteGroup): RouteGroup => ({
    ...group(ses),
    routes: inInboxes((inbox) => group({ ...ses, ...inbox }).routes.map(inInbox)),
  });
  return {
    groups: [
      ...(mailhog.groups ?? []),
      { routes: [...mailRoutes(served, clock), ...sendRoutes(sends)] },
      { routes: hasInboxes ? inboxAdminRoutes(served, { webPath, hasUsers }) : [] },
      { routes: inInboxes((inbox) => mailRoutes(inbox, clock).map(inInbox)) },
      inEachInbox((sending) => ({ routes: sendRoutes(sending) })),
      sesV2Group(ses),
      inEachInbox(sesV2Group),
      sesQueryGroup(ses),
      inEachInbox(sesQueryGroup),
    ],
    upgrades: mailhog.upgrades ?? [],
    schemas: mailSchemas,
    listeners: [
      ...(options.smtp ? smtpListeners(served, options.mail, options, smtp.observer) : []),
      ...(options.imapPort === undefined
        ? []
        : [imapListener(served, options.mail, options, { port: options.imapPort, table: backend.port })]),
    ],
    metrics: [...smtp.metrics, forwards.metric],
  };
}

/** The listener for all inboxes, and those of single inboxes. */
function smtpListeners(
  served: ServedMail,
  {
    users,
    certificate,
    implicitTls = false,
    strict,
    limits = {},
    store,
    inboxDomain,
    inboxPorts,
  }: MailConfig,
  { smtpHost: host, smtpPort, clock, logger }: ResolvedServerOptions,
  observer: SmtpObserver,
): Listener[] {
  const { intake, inboxes, rules, transcripts, chaos, hostname } = served;
  const messageBytes = largestMessage(store);
  const common = {
    rejectRecipient: (address: string) => rejectionOf(rules(address)),
    hostname,
    checkPassword: users && inboxPasswordCheck(users, clock),
    certificate,
    implicitTls,
    strict,
    transcripts,
    // The rules that choose an inbox, and its faults, are in the table.
    ...(store?.layout !== "mhdynamo" && { beforeSession: () => readInboxes(inboxes, { clock, logger }) }),
    clock,
    logger,
    observer,
    limits: { ...(messageBytes === undefined ? {} : { messageBytes }), ...limits },
  };
  const forAll = smtpListener({
    ...common,
    target: { listener: "smtp", host, port: smtpPort, portFlag: "--smtp-port" },
    receiver: intake,
    chaos,
    chaosOf: ({ user, to, peer }) => {
      const envelope = { from: "", to, helo: "", user };
      const message = { envelope, peer, head: new Uint8Array(0) };
      return inboxes.chaosOf(chooseInbox(inboxes.directory.last, message, inboxDomain));
    },
  });
  const forOne = inboxListenTargets(inboxPorts, host).map(({ inbox, ...target }) =>
    smtpListener({
      ...common,
      target,
      purpose: `stores mail in the inbox ${inbox}`,
      receiver: reportOutcomes(routeToInbox(inbox, inboxes.openForMessage), {
        rules,
        hostname,
        clock,
        logger,
      }),
      chaos: chaosOfInbox(inboxes, inbox),
    }),
  );
  return [forAll, ...forOne];
}

/** Longest wait for the settings of inboxes before a session. After that, the settings that were read last apply. */
const settingsWaitMs = 1_000;

async function readInboxes(
  { directory }: Pick<Inboxes, "directory">,
  { clock, logger }: Pick<ResolvedServerOptions, "clock" | "logger">,
): Promise<void> {
  try {
    if (directory.known === undefined)
      await waitWithin({ clock, deadlineMs: settingsWaitMs }, directory.read());
  } catch (error) {
    logger.warn("could not read the settings of inboxes before a session", { error });
  }
}

/** The faults that an inbox has when a connection begins. Its API starts and stops them. */
function chaosOfInbox(inboxes: Pick<Inboxes, "chaosOf">, name: string): Pick<Chaos, "nextConnection"> {
  return { nextConnection: () => inboxes.chaosOf(name)?.nextConnection() };
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
