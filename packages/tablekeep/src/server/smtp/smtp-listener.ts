import { setMaxListeners } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Clock, Logger } from "@tablekeep/core";
import {
  type Chaos,
  defaultSmtpLimits,
  formatReply,
  type SmtpLimits,
  smtpReply,
  type Transcripts,
} from "@tablekeep/mail";
import type { PasswordCheck } from "../auth/password-check.ts";
import type { Listener } from "../listening/listener.ts";
import { hostAndPort, type ListenPlace, listen } from "../listening/listener.ts";
import { type Certificate, invalidOption, secureContextOf } from "../options/option-checks.ts";
import type { MailSink } from "./mail-sink.ts";
import { signInGate } from "./sign-in-rules.ts";
import { defaultSmtpConnectionLimits, type SmtpConnectionLimits } from "./smtp-connection-limits.ts";
import { type SmtpServerSession, type SmtpSessionContext, smtpSession } from "./smtp-session.ts";
import type { SmtpWatch } from "./smtp-watch.ts";

/** What an SMTP listener is made of. */
export interface SmtpListenerOptions {
  readonly place: ListenPlace;
  /** Where messages go. One is acknowledged only after it is stored there. */
  readonly sink: MailSink;
  /** The name that the server gives itself. */
  readonly hostname: string;
  /** Checks passwords; then every client must sign in. @default none: any credentials do, and none */
  readonly passwordFits?: PasswordCheck | undefined;
  /** With it STARTTLS is offered. @default none */
  readonly certificate?: Certificate | undefined;
  /** Whether connections begin with TLS. Needs a certificate. @default false */
  readonly implicitTls?: boolean;
  readonly transcripts: Transcripts;
  readonly chaos: Chaos;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits that differ from the defaults. @default none */
  readonly limits?: Partial<SmtpLimits & SmtpConnectionLimits>;
  /** Told of what becomes of messages. @default nobody is */
  readonly watch?: SmtpWatch;
}

const nobody: SmtpWatch = { onStored() {}, onRefused() {} };

/** SMTP on one port. Stopping it lets messages under way be stored. */
export function smtpListener(options: SmtpListenerOptions): Listener {
  const { place, transcripts, chaos, clock, logger } = options;
  const cut = new AbortController();
  // Every session listens to it.
  setMaxListeners(0, cut.signal);
  const context = contextOf(options, cut.signal);
  const sessions = new Set<SmtpServerSession>();
  const accept = async (socket: Socket): Promise<void> => {
    socket.setNoDelay(true);
    // A session hears of errors by itself. This is for the moments when it does not listen.
    socket.on("error", () => {});
    const transcript = transcripts.begin(hostAndPort(socket.remoteAddress ?? "", socket.remotePort ?? 0));
    const fate = chaos.nextConnection();
    if (sessions.size >= context.limits.sessions && !makeRoom(sessions, clock)) {
      transcript.end("refused: too many sessions");
      context.watch.onRefused(421);
      return refuse(socket, clock);
    }
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
    name: place.listener,
    server,
    purpose: context.implicitTls ? "SMTP with TLS, for mail to be caught" : "SMTP, for mail to be caught",
    async start() {
      const port = await listen(server, place);
      return `${context.implicitTls ? "smtps" : "smtp"}://${hostAndPort(place.host, port)}`;
    },
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cutAll = () => {
        cut.abort();
        for (const session of sessions) session.cut("the server stops");
      };
      for (const session of sessions) session.stop();
      const cancel = graceMs > 0 ? clock.after(graceMs, cutAll) : cutAll();
      await closed;
      cancel?.();
    },
  };
}

function contextOf(options: SmtpListenerOptions, signal: AbortSignal): SmtpSessionContext {
  const { hostname, sink, passwordFits, certificate, implicitTls = false, clock, logger } = options;
  if (implicitTls && certificate === undefined) {
    throw invalidOption("implicitTls", "it needs a certificate");
  }
  return {
    hostname,
    sink,
    gate: signInGate(hostname, passwordFits, certificate !== undefined),
    secureContext: certificate && secureContextOf(certificate),
    implicitTls,
    limits: { ...defaultSmtpLimits, ...defaultSmtpConnectionLimits, ...options.limits },
    clock,
    logger,
    signal,
    watch: options.watch ?? nobody,
  };
}

/** How long a session must have been idle to be ended for another one. */
const idleEnoughMs = 10_000;

/** Whether the session that has been idle the longest could be ended: countless silent clients keep nobody out. */
function makeRoom(sessions: ReadonlySet<SmtpServerSession>, clock: Clock): boolean {
  let idlest: SmtpServerSession | undefined;
  let since = clock.monotonic() - idleEnoughMs;
  for (const session of sessions) {
    const idleSince = session.idleSince() ?? Number.POSITIVE_INFINITY;
    if (idleSince > since) continue;
    since = idleSince;
    idlest = session;
  }
  idlest?.cut("made room for another session");
  return idlest !== undefined;
}

/** One connection too many: told so, and not kept open for a client that does not close it. */
function refuse(socket: Socket, clock: Clock): void {
  const close = () => socket.destroy();
  const cancel = clock.after(1_000, close);
  socket.on("error", close).once("close", cancel).once("end", close);
  socket.resume();
  socket.end(formatReply(smtpReply(421, "Too many connections, try again later")));
}
