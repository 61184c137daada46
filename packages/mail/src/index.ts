/**
 * mail: messages and their inbox.
 *
 * Here: the store in two layouts, MIME, search, retention, the SMTP dialogue and MailHog's API semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export type {
  Envelope,
  IncomingMessage,
  Mail,
  MailhogContent,
  MailhogMessage,
  MailhogMime,
  MailhogPath,
  MailMessage,
  MailPage,
  MailSearch,
  MailSummary,
  PageRequest,
  SearchPage,
  SearchRequest,
  StoredMessage,
  WaitOptions,
  WatchOptions,
} from "./mail.ts";
export {
  isMailError,
  MailError,
  type MailErrorCode,
  type MailErrorDetails,
  type MailErrorExtra,
  mailErrorKinds,
} from "./mail-error.ts";
export type { MailLayoutName, MailOptions, PartitionSpan } from "./mail-options.ts";
