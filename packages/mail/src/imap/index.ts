/**
 * Read-only IMAP4rev1 for a mail store: the protocol without sockets (`protocol/`), what it shows of a message (`message/`), UIDs (`uids/`), and
 * the server (`imapServer`).
 */
export { defaultImapLimits, type ImapLimits } from "./imap-limits.ts";
export type { ImapMail } from "./server/imap-mailbox.ts";
export type { ImapInboxes, ImapStore } from "./server/imap-mailboxes.ts";
export { type ImapServer, type ImapServerOptions, imapServer } from "./server/imap-server.ts";
export type { ImapPasswordCheck } from "./server/session-state.ts";
export { type TableUidLogOptions, tableUidLog } from "./uids/table-uid-log.ts";
export type { UidEntry, UidLog } from "./uids/uid-log.ts";
