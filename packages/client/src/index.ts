/**
 * client: ports to DynamoDB, and operations on any port.
 *
 * Here: the built-in HTTP port, the port over your SDK client; retries, outcomes, batches, transactions, pages, tables.
 * Contains neither the embedded engine nor the stores.
 */

export {
  attributeSize,
  fitsItem,
  itemSize,
  maxItemBytes,
  type ReadMode,
  readUnits,
  type WriteMode,
  writeUnits,
} from "@tablekeep/core";
export { checkItemSize } from "./base/check-item-size.ts";
export {
  type BatchEntry,
  type BatchKey,
  type BatchWriteEntry,
  type CallStage,
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientErrorExtra,
  clientErrorKinds,
  isClientError,
} from "./base/client-error.ts";
export type { KeyNames } from "./base/key-names.ts";
export { type BatchGetOptions, type BatchGetResult, batchGet, batchGetStream } from "./batch/batch-get.ts";
export { type BatchWriteOptions, batchWrite, batchWriteStream } from "./batch/batch-write.ts";
export { connect } from "./connect.ts";
export type { ConnectOptions } from "./connect-options.ts";
export { credentialSource } from "./credentials/credential-source.ts";
export type { CredentialProvider, CredentialSource, Credentials } from "./credentials/credentials.ts";
export { httpPort } from "./http/http-port.ts";
export type { HttpPortOptions } from "./http/http-port-options.ts";
export { type LoggedOptions, logged } from "./observe/logged.ts";
export {
  formatCost,
  type Meter,
  type MeterCounts,
  type MeterSnapshot,
  meterDifference,
} from "./observe/meter.ts";
export { type MeteredOptions, type MeteredPort, metered } from "./observe/metered.ts";
export { type TracedOptions, traced } from "./observe/traced.ts";
export { decodePageCursor, encodePageCursor } from "./paging/page-cursor.ts";
export {
  type PageOptions,
  queryItems,
  queryPages,
  type ScanOptions,
  scanItems,
  scanPages,
} from "./paging/pages.ts";
export { type Deadline, type WaitLimits, waitWithin } from "./retry/deadline.ts";
export {
  type OperationOptions,
  OperationRetries,
  type OperationRun,
  sendRepeatedly,
  startOperation,
} from "./retry/operation.ts";
export { type BackoffPolicy, backoffMs } from "./retry/retry-policy.ts";
export {
  type SdkClientConfig,
  type SdkStreamsClientConfig,
  sdkClient,
  sdkStreamsClient,
} from "./sdk/sdk-client.ts";
export { type SdkPortOptions, sdkPort } from "./sdk/sdk-port.ts";
export { checkTable, requireTable } from "./tables/check-table.ts";
export { createTableInput, timeToLiveInput } from "./tables/create-table-input.ts";
export { type EnsuredTable, type EnsureTableOptions, ensureTable } from "./tables/ensure-table.ts";
export { toAwsCli, toCloudFormation, toTerraform } from "./tables/print-tables.ts";
export type { TableAspect, TableDifference } from "./tables/table-difference.ts";
export type { TableOptions } from "./tables/table-run.ts";
export type {
  GlobalIndexSpec,
  IndexProjection,
  KeyAttribute,
  LocalIndexSpec,
  ReservedCapacity,
  TableSpec,
} from "./tables/table-spec.ts";
export { type CancellationMeaning, cancellationMeaning } from "./transact/transact-evidence.ts";
export { transactGet, transactGetGroups } from "./transact/transact-get.ts";
export { transactWrite } from "./transact/transact-write.ts";
export type {
  TransactWriteId,
  TransactWriteOptions,
  TransactWriteResult,
} from "./transact/transact-write-options.ts";
export {
  checkTransactLimits,
  maxTransactActions,
  maxTransactBytes,
} from "./transact/transact-write-params.ts";
export { type SettleDeleteInput, type SettleDeleteOptions, settleDelete } from "./write/settle-delete.ts";
export type {
  MarkedWriteOptions,
  MarkedWriteResult,
  SettleOptions,
  WriteResult,
} from "./write/settle-options.ts";
export { type SettlePutInput, type SettlePutOptions, settlePut } from "./write/settle-put.ts";
export { type SettleUpdateInput, type SettleUpdateOptions, settleUpdate } from "./write/settle-update.ts";
export type { Attribution } from "./write/settle-write.ts";
export { newWriteId } from "./write/write-id.ts";
