/**
 * mail: a mail store in DynamoDB.
 *
 * Here: the store in two layouts, MIME, search, retention, and MailHog's message shape.
 * In `@tablekeep/mail/smtp`: SMTP; in `/lint` and `/matchers`: checks of messages, and assertions for tests. Not here: MailHog's HTTP API and the listeners, which the program has; the embedded engine.
 */
export { type DecodeCache, type DecodeCacheOptions, openDecodeCache } from "./decode/decode-cache.ts";
export type { DecodedAddress, DecodedAttachment, DecodedMessage } from "./decode/open-decoder.ts";
export { type Decoder, type DecoderOptions, openDecoder } from "./decode/open-decoder.ts";
export { type MailhogPart, mailhogPart } from "./mailhog/mailhog-message.ts";
export { type HeaderField, readHeaderFields, readHeaders } from "./mime/header-fields.ts";
export { defaultInbox, inboxNameOf, isInboxName } from "./model/inbox-name.ts";
export type {
  ArrivedMessage,
  DeleteOptions,
  DeleteProgress,
  Envelope,
  IncomingMessage,
  Mail,
  MailChange,
  MailhogContent,
  MailhogJsonOptions,
  MailhogMessage,
  MailhogMime,
  MailhogPath,
  MailhogText,
  MailMarks,
  MailMessage,
  MailPage,
  MailQuery,
  MailSearch,
  MailSummary,
  MarkedMessage,
  OriginalMessage,
  PageRequest,
  SearchPage,
  SearchRequest,
  StoredMessage,
  WaitOptions,
  WantedMessage,
  WatchOptions,
} from "./model/mail.ts";
export {
  isMailError,
  MailError,
  type MailErrorCode,
  type MailErrorDetails,
  type MailErrorExtra,
  mailErrorKinds,
} from "./model/mail-error.ts";
export type { MailLayoutName, MailOptions, PartitionSpan } from "./model/mail-options.ts";
export { mailTableSpec } from "./model/mail-options.ts";
export {
  createSearchMemory,
  type MemoryShare,
  type SearchMemory,
  type SearchMemoryOptions,
} from "./model/search-memory.ts";
export { openMail } from "./open-mail.ts";
