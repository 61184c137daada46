import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Clock, Logger } from "@tablekeep/core";
import { optionInvalid } from "../../model/mail-error.ts";
import type { Chaos } from "../chaos.ts";
import { formatReply, type SmtpReply, smtpReply } from "../dialogue/replies.ts";
import {
  defaultSmtpConnectionLimits,
  defaultSmtpLimits,
  type SmtpConnectionLimits,
  type SmtpLimits,
} from "../smtp-limits.ts";
import type { Transcripts } from "../transcripts.ts";
import type {
  Authentication,
  MailReceiver,
  SmtpObserver,
  SmtpSessionContext,
  UnfinishedMessage,
} from "./session-context.ts";
import { type SmtpServerSession, smtpSession } from "./smtp-session.ts";

/** Whether a user at this address has this password. */
export type SmtpPasswordCheck = (user: string, password: string, address: string) => Promise<boolean>;

/** Options of an SMTP server. */
export interface SmtpServerOptions {
  /** Receives the messages. A message is acknowledged only after it is stored there. */
  readonly receiver: MailReceiver;
  /** The server's own name. */
  readonly hostname: string;
  /** Checks passwords; every client must then authenticate. @default none: any credentials are accepted, and none */
  readonly checkPassword?: SmtpPasswordCheck;
  /** The certificate for TLS; STARTTLS is then offered. @default none */
  readonly secureContext?: SecureContext;
  /** Begin every connection with TLS. Needs `secureContext`. @default false */
  readonly implicitTls?: boolean;
  /**
   * Enforce RFC 5321. Otherwise addresses without brackets, invalid sizes and commands out of order are
   * accepted as far as MailHog accepts them. @default false
   */
  readonly strict?: boolean;
  readonly transcripts: Transcripts;
  readonly chaos: Pick<Chaos, "nextConnection">;
  /** Rejections of senders and recipients that depend on the message, beside those of `chaos`. @default none */
  readonly chaosOf?: (message: UnfinishedMessage) => Chaos | undefined;
  /** Awaited before each session: reads what `chaos` and `chaosOf` return. Must not reject. @default nothing */
  readonly beforeSession?: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default `defaultSmtpLimits` and `defaultSmtpConnectionLimits` */
  readonly limits?: Partial<SmtpLimits & SmtpConnectionLimits>;
  /** The reply that rejects a recipient; undefined accepts it. @default none: all are accepted */
  readonly rejectRecipient?: (address: string) => SmtpReply | undefined;
  /** Called for each message stored and each negative reply. @default none */
  readonly observer?: SmtpObserver;
}

/** An SMTP server. The caller binds it to a port. */
export interface SmtpServer {
  /** Accepts connections once you call its `listen`. */
  readonly server: Server;
  /** Stops accepting connections, waits up to `graceMs` for messages in flight, then closes all sessions. */
  stop(graceMs: number): Promise<void>;
}

const noObserver: SmtpObserver = { onStored() {}, onRejected() {} };

/**
 * Creates an SMTP server. It does not listen yet.
 *
 * @example
 * const clock = systemClock;
 * const { server, stop } = smtpServer({
 *   receiver: await openMail(port),
 *   hostname: "mail.example",
 *   transcripts: createTranscripts(clock),
 *   chaos: createChaos(),
 *   clock,
 *   logger: silentLogger,
 * });
 * server.listen(1025, "127.0.0.1");
 * // later
 * await stop(5_000);
 */
export function smtpServer(options: SmtpServerOptions): SmtpServer {
  const { transcripts, chaos, clock, logger, beforeSession } = options;
  const cut = new AbortController();
  // Every session adds a listener.
  setMaxListeners(0, cut.signal);
  const context = sessionContext(options, cut.signal);
  const sessions = new Set<SmtpServerSession>();
  let starting = 0;
  let stopping = false;
  const accept = async (socket: Socket): Promise<void> => {
    socket.setNoDelay(true);
    // Sessions handle errors. This listener covers the moments in which a session has none.
    socket.on("error", () => {});
    const transcript = transcripts.begin(addressOf(socket));
    if (sessions.size + starting >= context.limits.sessions && !closeIdlest(sessions, clock)) {
      transcript.end("rejected: too many sessions");
      context.observer.onRejected(421);
      return rejectConnection(socket, clock);
    }
    if (beforeSession !== undefined) {
      starting++;
      await beforeSession().finally(() => starting--);
      if (stopping) {
        transcript.end("the server is stopping");
        return rejectConnection(socket, clock, "Service shutting down");
      }
    }
    const fate = chaos.nextConnection();
    if (fate?.accepted === false) {
      transcript.end("chaos: not accepted");
      socket.destroy();
      return;
    }
    const session = smtpSession(socket, transcript, fate, context);
    sessions.add(session);
    await session.done.finally(() => sessions.delete(session));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accept(socket).catch((error: unknown) => {
      logger.error("an SMTP session failed", { error });
      socket.destroy();
    });
  });
  return {
    server,
    async stop(graceMs) {
      stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cutAll = () => {
        cut.abort();
        for (const session of sessions) session.cut("the server is stopping");
      };
      for (const session of sessions) session.stop();
      const cancel = graceMs > 0 ? clock.after(graceMs, cutAll) : cutAll();
      await closed;
      cancel?.();
    },
  };
}

function sessionContext(options: SmtpServerOptions, signal: AbortSignal): SmtpSessionContext {
  const { hostname, receiver, checkPassword, secureContext, implicitTls = false, clock, logger } = options;
  if (implicitTls && secureContext === undefined) throw optionInvalid("implicitTls", "needs a certificate");
  return {
    hostname,
    receiver,
    authentication: authenticationOf(hostname, checkPassword, secureContext !== undefined),
    secureContext,
    implicitTls,
    strict: options.strict ?? false,
    limits: { ...defaultSmtpLimits, ...defaultSmtpConnectionLimits, ...options.limits },
    clock,
    logger,
    signal,
    observer: options.observer ?? noObserver,
    chaosOf: options.chaosOf,
    rejectRecipient: options.rejectRecipient,
  };
}

/**
 * Without users, every client is accepted, with any password or none. With users, clients must authenticate: CRAM-MD5 is not
 * possible with hashed passwords, and if there is a certificate, passwords are accepted over TLS only.
 */
function authenticationOf(
  hostname: string,
  checkPassword: SmtpPasswordCheck | undefined,
  hasCertificate: boolean,
): Authentication {
  const challenge = () => `<${randomUUID()}@${hostname}>`;
  if (checkPassword === undefined) {
    const mechanisms = ["PLAIN", "LOGIN", "CRAM-MD5"] as const;
    return {
      rules: { mechanisms, required: false, withoutTls: true, challenge },
      check: () => Promise.resolve(true),
    };
  }
  return {
    rules: { mechanisms: ["PLAIN", "LOGIN"], required: true, withoutTls: !hasCertificate, challenge },
    check: async (signIn, address) =>
      "password" in signIn && checkPassword(signIn.user, signIn.password, address),
  };
}

/** `127.0.0.1:50123`, `[::1]:50123`. */
function addressOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

/** How long a session must be idle before it is closed in favor of another. */
const idleEnoughMs = 10_000;

/** Closes the session that has been idle longest, so that idle clients do not lock others out. Returns false if none is idle. */
function closeIdlest(sessions: ReadonlySet<SmtpServerSession>, clock: Clock): boolean {
  let idlest: SmtpServerSession | undefined;
  let since = clock.monotonic() - idleEnoughMs;
  for (const session of sessions) {
    const idleSince = session.idleSince() ?? Number.POSITIVE_INFINITY;
    if (idleSince > since) continue;
    since = idleSince;
    idlest = session;
  }
  idlest?.cut("closed in favor of another session");
  return idlest !== undefined;
}

/** Rejects a surplus connection, and closes it even if the client does not. */
function rejectConnection(
  socket: Socket,
  clock: Clock,
  text = "Too many connections, try again later",
): void {
  const close = () => socket.destroy();
  const cancel = clock.after(1_000, close);
  socket.on("error", close).once("close", cancel).once("end", close);
  socket.resume();
  socket.end(formatReply(smtpReply(421, text)));
}
