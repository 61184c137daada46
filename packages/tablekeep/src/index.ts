/**
 * tablekeep: the program.
 *
 * Here: the server with its listeners, and the command line. This entry point is for programs that start
 * the server in their own process, such as a test.
 * Not here: the stores that the listeners serve. They are in the other packages.
 */

export type { SmtpConnectionLimits } from "@tablekeep/mail/smtp";
export type { Tokens, Users } from "./server/auth/secret-files.ts";
export type { AccessKeys } from "./server/auth/verify-signature.ts";
export {
  type DynamoDbOptions,
  type RunningDynamoDb,
  startDynamoDb,
} from "./server/dynamodb/start-dynamodb.ts";
export type { ListenerAddress } from "./server/listening/listener.ts";
export type { Certificate } from "./server/options/option-checks.ts";
export type { ServerOptions } from "./server/options/server-options.ts";
export type { MailConfig, ShadowConfig, ShadowStoreConfig } from "./server/options/store-configs.ts";
export type { Relay, Relays } from "./server/release/relays.ts";
export {
  isServerError,
  type ListenDetails,
  type PortHolder,
  ServerError,
  type ServerErrorCode,
  type ServerErrorDetails,
} from "./server/server-error.ts";
export type { RuleEventName, ShadowRule } from "./server/setting-files/shadow-rules.ts";
export type { ShadowSyncConfig, SyncedShadows } from "./server/setting-files/shadow-sync-file.ts";
export { type RunningServer, startServer } from "./server/start-server.ts";
