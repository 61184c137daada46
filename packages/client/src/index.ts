/**
 * client: how we use DynamoDB well.
 *
 * Here: ports to it (our own HTTP client, your SDK client), and what stands on any port.
 * Not here: the embedded engine, and what is stored; the rooms above do not know which port they stand on.
 */
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientErrorExtra,
  isClientError,
} from "./client-error.ts";
export { connect } from "./connect.ts";
export type { ConnectOptions } from "./connect-options.ts";
export type { CredentialProvider, Credentials } from "./credentials/credentials.ts";
export { httpPort } from "./http/http-port.ts";
export type { HttpPortOptions } from "./http/http-port-options.ts";
