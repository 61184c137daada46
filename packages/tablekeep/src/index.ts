/**
 * tablekeep: the program.
 *
 * Here: the server with its listeners, and the command line. People run it; this door is for those who want to start
 * the server from a process of their own, a test for instance.
 * Not here: what the listeners serve. That lives in the rooms below.
 */
export type { Tokens } from "./server/auth/tokens-file.ts";
export type { Users } from "./server/auth/users-file.ts";
export type { Certificate } from "./server/certificate.ts";
export {
  type DynamoDbOptions,
  type RunningDynamoDb,
  startDynamoDb,
} from "./server/dynamodb/start-dynamodb.ts";
export type { AccessKeys } from "./server/dynamodb/verify-signature.ts";
export type { ListenerAddress } from "./server/listener.ts";
export type { MailConfig } from "./server/mail/mail-config.ts";
export type { PortHolder } from "./server/port-holder.ts";
export type { Relay, Relays } from "./server/release/relays.ts";
export {
  isServerError,
  type ListenDetails,
  ServerError,
  type ServerErrorCode,
  type ServerErrorDetails,
} from "./server/server-error.ts";
export type { ServerOptions } from "./server/server-options.ts";
export type { ShadowConfig, ShadowStoreConfig } from "./server/shadow/shadow-config.ts";
export type { SmtpConnectionLimits } from "./server/smtp/smtp-connection-limits.ts";
export { type RunningServer, startServer } from "./server/start-server.ts";
