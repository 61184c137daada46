/**
 * SMTP for a mail store: the dialogue without a socket (`smtpDialogue`), the server that runs it on sockets (`smtpServer`),
 * transcripts of the last sessions, and deliberate faults.
 */
export {
  type Chaos,
  type ChaosSettings,
  type ConnectionFate,
  createChaos,
  defaultChaosSettings,
} from "./chaos.ts";
export {
  formatReply,
  SmtpRejection,
  type SmtpReply,
  smtpReply,
  storeFailureReply,
} from "./dialogue/replies.ts";
export { type SmtpDialogue, smtpDialogue } from "./dialogue/smtp-dialogue.ts";
export type { SignInRules, SmtpChaos, SmtpSessionOptions } from "./dialogue/smtp-state.ts";
export type { SignIn, SmtpAnswer, SmtpStep } from "./dialogue/smtp-step.ts";
export type { MailReceiver, SmtpObserver, SmtpPeer, UnfinishedMessage } from "./server/session-context.ts";
export {
  type SmtpPasswordCheck,
  type SmtpServer,
  type SmtpServerOptions,
  smtpServer,
} from "./server/smtp-server.ts";
export {
  defaultSmtpConnectionLimits,
  defaultSmtpLimits,
  type SmtpConnectionLimits,
  type SmtpLimits,
} from "./smtp-limits.ts";
export {
  createTranscripts,
  type Transcript,
  type TranscriptLine,
  type Transcripts,
  type TranscriptWriter,
} from "./transcripts.ts";
