/**
 * engine: an embedded DynamoDB.
 *
 * Here: DynamoDB's operations on an ordered key-value store in one folder or in memory: items, expressions, numbers,
 * indexes, transactions, streams, expiry.
 * Not here: sockets, HTTP, signatures, the AWS SDK. The program `tablekeep` puts a wire in front of it.
 */
export { type Answer, answerBytes, answerJson } from "./answer/answer.ts";
export { type Engine, openEngine } from "./engine.ts";
export {
  EngineError,
  type EngineErrorCode,
  type EngineErrorDetails,
  type EngineErrorExtra,
  engineErrorKinds,
  isEngineError,
} from "./engine-error.ts";
export type { EngineOptions, StorageChoice } from "./engine-options.ts";
export { isEngineFolder } from "./folder/folder-format.ts";
export {
  type FolderAccess,
  type FolderOwner,
  readFolderAccess,
  readFolderOwner,
} from "./folder/folder-owner.ts";
export type { Checkpoint } from "./hooks/checkpoints.ts";
export type {
  EngineBehaviour,
  ThrottlingException,
  ThrottlingRule,
  ValueOrRange,
} from "./hooks/engine-behaviour.ts";
export type { ThrottlingReasonName } from "./hooks/throttling-reasons.ts";
export type { ItemChange, TableListener } from "./write/table-watchers.ts";
