/**
 * shadow: device shadows.
 *
 * Here: the store in godeviceshadow's layout, merge, delta, policies, and AWS IoT's HTTP and MQTT semantics as functions.
 * Not here: sockets and listeners, which are in the program; the embedded engine.
 */
export type { DocumentContext } from "./aws/aws-documents.ts";
export { type AwsError, awsError, awsErrorOf, errorBody, rejectedDocument } from "./aws/aws-error.ts";
export {
  type AwsShadowName,
  isShadowTopic,
  parseShadowTopic,
  type ShadowAction,
  type ShadowAnswer,
  type ShadowTopic,
  shadowTopic,
} from "./aws/aws-names.ts";
export {
  type AcceptedUpdate,
  type AwsShadows,
  awsShadows,
  type ListNamedRequest,
  type UpdateDocuments,
} from "./aws/aws-shadows.ts";
export { type Payload, tokenFor } from "./aws/parse-request.ts";
export {
  ConnectionLog,
  type ConnectionLogOptions,
  type LoggedConnection,
} from "./connectivity/connection-log.ts";
export type { Disconnection } from "./connectivity/connection-updates.ts";
export {
  type Connectivity,
  connectivityDocument,
  type DisconnectReason,
} from "./connectivity/connectivity.ts";
export type { DocumentObject, DocumentValue } from "./document/document-value.ts";
export { ExactNumber } from "./document/exact-number.ts";
export { parseJson, printJson } from "./document/json.ts";
export { changeDocument, serverSentEvent } from "./feed/server-sent-event.ts";
export { type ItemChange, type StoredChangesOptions, storedChanges } from "./feed/stored-changes.ts";
export type {
  GroupPage,
  GroupPageRequest,
  GroupThings,
  ShadowGroup,
  ShadowGroups,
} from "./groups/shadow-groups.ts";
export { type ChangeFeed, changeFeed } from "./manager/change-feed.ts";
export type {
  ShadowManagerOptions,
  ShadowPolicy,
  ShadowState,
  ShadowValidator,
  StateProblem,
} from "./manager/manager-options.ts";
export { awsLimits, type ShadowLimits, wideLimits } from "./manager/manager-options.ts";
export { openShadowManager } from "./manager/open-shadow-manager.ts";
export type { FoundShadow, SearchPage, SearchRequest } from "./manager/search-shadows.ts";
export type {
  HistoryEntry,
  HistoryPage,
  HistoryPoint,
  HistoryRequest,
  ShadowHistory,
} from "./manager/shadow-history.ts";
export type {
  ChangeFilter,
  DeleteRequest,
  HalfRequest,
  ShadowChange,
  ShadowDeletion,
  ShadowManager,
  ShadowUpdate,
  UpdateRequest,
  WatchOptions,
} from "./manager/shadow-manager.ts";
export { type QueriedShadow, type ShadowQuery, shadowQuery } from "./manager/shadow-query.ts";
export type { ShadowName, ShadowView } from "./manager/shadow-view.ts";
export { deltaMetadata, deltaOf } from "./merge/delta.ts";
export type { DocumentMetadata, MetadataObject } from "./merge/metadata.ts";
export type { ValueChange } from "./merge/value-change.ts";
export type { ShadowCallOptions } from "./model/call-options.ts";
export type { Half, RowKind, ShadowModel } from "./model/shadow-error.ts";
export {
  isShadowError,
  ShadowError,
  type ShadowErrorCode,
  type ShadowErrorDetails,
  shadowErrorKinds,
  type VersionConflict,
} from "./model/shadow-error.ts";
export { openRollouts } from "./rollouts/open-rollouts.ts";
export type {
  Rollout,
  RolloutGate,
  RolloutPhase,
  RolloutRequest,
  RolloutsOptions,
  RolloutThing,
  RolloutThings,
  ShadowRollouts,
  ThingStatus,
} from "./rollouts/rollout.ts";
export type { ShadowId } from "./rows/row-keys.ts";
export type { RowMetadata } from "./rows/stored-row.ts";
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
export type { HistoryOptions, ShadowsOptions } from "./store/store-options.ts";
export { shadowHistoryTableSpec, shadowTableSpec } from "./store/store-options.ts";
export { openShadowSync, readSyncStatuses } from "./sync/open-shadow-sync.ts";
export type { SyncDirection } from "./sync/plan-sync.ts";
export type {
  CloudShadow,
  CloudShadows,
  ShadowSync,
  SyncRequest,
  SyncResult,
  SyncStatus,
} from "./sync/shadow-sync.ts";
export {
  type ConflictRule,
  type MergedStates,
  type MergeSide,
  mergeStates,
  type StatePatch,
  type SyncedState,
  statePatch,
} from "./sync/three-way-merge.ts";
