import { setMaxListeners } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Clock, Logger } from "@tablekeep/core";
import { defaultImapLimits, type ImapLimits } from "../imap-limits.ts";
import { memoryUidLog, type UidLog } from "../uids/uid-log.ts";
import type { ImapMail } from "./imap-mailbox.ts";
import { type ImapInboxes, ImapMailboxes } from "./imap-mailboxes.ts";
import { ImapSession } from "./imap-session.ts";
import type { ImapPasswordCheck, ImapSessionContext } from "./session-state.ts";

/** Options of an IMAP server. */
export interface ImapServerOptions {
  /** The store whose messages are in INBOX. */
  readonly mail: ImapMail;
  /** The UIDs of its messages. @default UIDs that are valid while the server runs; see `tableUidLog` */
  readonly uids?: UidLog;
  /** Named inboxes, which are further mailboxes. @default none */
  readonly inboxes?: ImapInboxes;
  /** Checks passwords. @default none: any credentials are accepted */
  readonly checkPassword?: ImapPasswordCheck;
  /** The certificate for STARTTLS; with `checkPassword`, passwords are then accepted under TLS only. @default none */
  readonly secureContext?: SecureContext;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default `defaultImapLimits` */
  readonly limits?: Partial<ImapLimits>;
}

/** An IMAP server. The caller binds it to a port. */
export interface ImapServer {
  /** Accepts connections once you call its `listen`. */
  readonly server: Server;
  /** Stops accepting connections, and ends all sessions. */
  stop(): Promise<void>;
}

/**
 * Creates a read-only IMAP4rev1 server with the mailbox INBOX, and one for each named inbox. It does not listen yet.
 *
 * @example
 * const { server, stop } = imapServer({ mail, clock: systemClock, logger: silentLogger });
 * server.listen(1143, "127.0.0.1");
 * // later
 * await stop();
 */
export function imapServer(options: ImapServerOptions): ImapServer {
  const { mail, inboxes, clock, logger } = options;
  const end = new AbortController();
  // Every session adds listeners.
  setMaxListeners(0, end.signal);
  const limits = { ...defaultImapLimits, ...options.limits };
  const uids = options.uids ?? memoryUidLog(clock);
  const mailboxes = new ImapMailboxes({ mail, uids, inboxes, clock, logger, maxMessages: limits.messages });
  const context: ImapSessionContext = {
    mailboxes,
    inboxes,
    checkPassword: options.checkPassword,
    secureContext: options.secureContext,
    limits,
    clock,
    logger,
    signal: end.signal,
  };
  const sessions = new Set<Promise<void>>();
  const accept = (socket: Socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    if (sessions.size >= limits.sessions) {
      socket.end("* BYE too many connections\r\n", () => socket.destroy());
      return;
    }
    const session = new ImapSession(socket, context).run();
    sessions.add(session);
    void session.finally(() => sessions.delete(session));
  };
  const server = createServer({ allowHalfOpen: true }, accept);
  return {
    server,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      end.abort(new Error("the server is stopping"));
      await Promise.all(sessions);
      await closed;
      await mailboxes.close();
    },
  };
}
