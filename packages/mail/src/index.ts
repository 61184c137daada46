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
export type { DeleteOptions, DeleteProgress, Mail } from "./model/mail.ts";
export type {
  ArrivedMessage,
  MailChange,
  WaitOptions,
  WantedMessage,
  WatchOptions,
} from "./model/mail-changes.ts";
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
export type {
  MailPage,
  MailQuery,
  MailSearch,
  PageRequest,
  SearchPage,
  SearchRequest,
} from "./model/mail-search.ts";
export type {
  MailhogContent,
  MailhogJsonOptions,
  MailhogMessage,
  MailhogMime,
  MailhogPath,
  MailhogText,
} from "./model/mailhog-shape.ts";
export type {
  Envelope,
  IncomingMessage,
  MailMarks,
  MailMessage,
  MailSummary,
  MarkedMessage,
  OriginalMessage,
  StoredMessage,
} from "./model/message.ts";
export {
  createSearchMemory,
  type MemoryShare,
  type SearchMemory,
  type SearchMemoryOptions,
} from "./model/search-memory.ts";
export { openMail } from "./open-mail.ts";
