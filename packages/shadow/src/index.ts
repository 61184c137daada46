/**
 * shadow: device shadows.
 *
 * Here: the store in godeviceshadow's layout, merge, delta, policies, REST and MQTT semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export { type AwsError, awsError, awsErrorOf, errorBody, rejectedDocument } from "./aws/aws-error.ts";
export {
  type AcceptedUpdate,
  type AwsShadows,
  awsShadows,
  type ListNamedRequest,
  type UpdateDocuments,
} from "./aws/aws-shadows.ts";
export { type Payload, tokenFor } from "./aws/parse-request.ts";
export { type ShadowRoute, shadowRoute } from "./aws/shadow-route.ts";
export {
  type AwsShadowName,
  parseShadowTopic,
  type ShadowAction,
  type ShadowAnswer,
  type ShadowTopic,
  shadowTopic,
} from "./aws/shadow-topic.ts";
export type { ShadowCallOptions } from "./call-options.ts";
export type { DocumentObject, DocumentValue } from "./document/document-value.ts";
export { ExactNumber } from "./document/exact-number.ts";
export { parseJson } from "./document/parse-json.ts";
export { printJson } from "./document/print-json.ts";
export {
  type ChangeFeed,
  type ChangeFilter,
  changeFeed,
  type ShadowChange,
  type WatchOptions,
} from "./feed/change-feed.ts";
export { serverSentEvent } from "./feed/server-sent-event.ts";
export { type ItemChange, type StoredChangesOptions, storedChanges } from "./feed/stored-changes.ts";
export type { ShadowManagerOptions } from "./manager/manager-options.ts";
export { openShadowManager } from "./manager/open-shadow-manager.ts";
export { awsLimits, type ShadowLimits, wideLimits } from "./manager/shadow-limits.ts";
export type {
  DeleteRequest,
  HalfRequest,
  ShadowDeletion,
  ShadowManager,
  ShadowName,
  ShadowPolicy,
  ShadowUpdate,
  UpdateRequest,
} from "./manager/shadow-manager.ts";
export type { ShadowView } from "./manager/shadow-view.ts";
export { deltaMetadata, deltaOf } from "./merge/delta.ts";
export type { DocumentMetadata, MetadataObject } from "./merge/document-metadata.ts";
export type { ValueChange } from "./merge/value-change.ts";
export type { ShadowId } from "./rows/row-keys.ts";
export type { Half, RowKind, ShadowModel } from "./rows/row-kind.ts";
export type { RowMetadata } from "./rows/stored-row.ts";
export {
  isShadowError,
  ShadowError,
  type ShadowErrorCode,
  type ShadowErrorDetails,
  shadowErrorKinds,
  type VersionConflict,
} from "./shadow-error.ts";
export { shadowTableSpec } from "./shadow-table-spec.ts";
export { openShadows } from "./store/open-shadows.ts";
export type {
  DeleteOperation,
  ExpectedVersion,
  ListedRow,
  ListOptions,
  ListPage,
  OperationResult,
  ReadOperation,
  ReadOptions,
  Shadow,
  ShadowOperation,
  Shadows,
  StoredHalf,
  WriteOperation,
  WrittenShadow,
} from "./store/shadows.ts";
export type { ShadowsOptions } from "./store/store-options.ts";
