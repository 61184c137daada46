/**
 * mail: messages and their inbox.
 *
 * Here: the store in two layouts, MIME, search, retention, the SMTP dialogue and MailHog's API semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export { type DecodeCache, type DecodeCacheOptions, openDecodeCache } from "./decode/decode-cache.ts";
export type { DecodedAddress, DecodedAttachment, DecodedMessage } from "./decode/open-decoder.ts";
export { type Decoder, type DecoderOptions, openDecoder } from "./decode/open-decoder.ts";
export { type MailhogPart, mailhogPart } from "./mailhog/mailhog-message.ts";
export { readHeaders } from "./mime/header-fields.ts";
export type {
  ArrivedMessage,
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
export { openMail } from "./open-mail.ts";
export {
  type Chaos,
  type ChaosSettings,
  type ConnectionFate,
  createChaos,
  defaultChaosSettings,
} from "./smtp/chaos.ts";
export { formatReply, type SmtpReply, smtpReply, storeFailureReply } from "./smtp/dialogue/replies.ts";
export { type SmtpDialogue, smtpDialogue } from "./smtp/dialogue/smtp-dialogue.ts";
export type { SignInRules, SmtpChaos, SmtpSessionOptions } from "./smtp/dialogue/smtp-state.ts";
export type { SignIn, SmtpAnswer, SmtpStep } from "./smtp/dialogue/smtp-step.ts";
export { defaultSmtpLimits, type SmtpLimits } from "./smtp/dialogue/smtp-step.ts";
export type { Transcript, TranscriptLine, TranscriptWriter } from "./smtp/transcripts.ts";
export { createTranscripts, type Transcripts } from "./smtp/transcripts.ts";
