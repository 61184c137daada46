/**
 * engine: an embedded DynamoDB.
 *
 * Includes DynamoDB's operations on an ordered key-value store in one folder or in memory: items, expressions,
 * indexes, transactions, streams, expiry.
 * Excludes sockets, HTTP, signatures and the AWS SDK. The program `tablekeep` serves it over HTTP.
 */
export { type Answer, answerBytes, answerJson } from "./answer/answer.ts";
export type { TableUse } from "./catalog/table-use.ts";
export { statementChange } from "./change/statement-change.ts";
export type { ItemChange, TableListener } from "./change/table-watchers.ts";
export type { Checkpoint } from "./checkpoints.ts";
export { type Engine, openEngine } from "./engine.ts";
export {
  EngineError,
  type EngineErrorCode,
  type EngineErrorDetails,
  type EngineErrorExtra,
  engineErrorKinds,
  isEngineError,
} from "./engine-error.ts";
export type { EngineOptions } from "./engine-options.ts";
export type {
  EngineBehavior,
  PartitionLimits,
  StreamBehavior,
  ThrottlingException,
  ThrottlingReasonName,
  ThrottlingRule,
  ValueOrRange,
} from "./simulation/behavior-options.ts";
export { type CompactedFolder, type CompactOptions, compactFolder } from "./storage/compact-folder.ts";
export { checkFolderFormat, isEngineFolder } from "./storage/folder-files.ts";
export { type FolderOwner, readFolderAccess, readFolderOwner } from "./storage/folder-owner.ts";
export type { StorageChoice } from "./storage/open-storage.ts";
export type { FolderAccess, FolderListener } from "./storage/storage.ts";
