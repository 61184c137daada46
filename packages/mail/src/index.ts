/**
 * mail: messages and their inbox.
 *
 * Here: the store in two layouts, MIME, search, retention, the SMTP dialogue and MailHog's API semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export { type DecodeCache, type DecodeCacheOptions, openDecodeCache } from "./decode/decode-cache.ts";
export type { DecodedAddress, DecodedAttachment, DecodedMessage } from "./decode/decoded-message.ts";
export { type Decoder, type DecoderOptions, openDecoder } from "./decode/open-decoder.ts";
export type {
  ArrivedMessage,
  Envelope,
  IncomingMessage,
  Mail,
  MailChange,
  MailhogContent,
  MailhogMessage,
  MailhogMime,
  MailhogPath,
  MailhogText,
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
export { mailTableSpec } from "./mail-table-spec.ts";
export type { MailhogJsonOptions } from "./mailhog/mailhog-json.ts";
export { type MailhogPart, mailhogPart } from "./mailhog/mailhog-message.ts";
export { readHeaders } from "./mime/read-headers.ts";
export { openMail } from "./open-mail.ts";
export { type Chaos, type ConnectionFate, createChaos } from "./smtp/chaos.ts";
export { type ChaosSettings, defaultChaosSettings } from "./smtp/chaos-settings.ts";
export { type SmtpDialogue, smtpDialogue } from "./smtp/smtp-dialogue.ts";
export { defaultSmtpLimits, type SmtpLimits } from "./smtp/smtp-limits.ts";
export { formatReply, type SmtpReply, smtpReply } from "./smtp/smtp-reply.ts";
export type { SignInRules, SmtpChaos, SmtpSessionOptions } from "./smtp/smtp-session.ts";
export type { SignIn, SmtpAnswer, SmtpStep } from "./smtp/smtp-step.ts";
export { storeFailureReply } from "./smtp/store-failure-reply.ts";
export type { Transcript, TranscriptLine, TranscriptWriter } from "./smtp/transcript.ts";
export { createTranscripts, type Transcripts } from "./smtp/transcripts.ts";
