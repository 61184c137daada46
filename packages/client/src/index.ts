/**
 * client: how we use DynamoDB well.
 *
 * Here: ports to it (our own HTTP client, your SDK client), and what stands on any port.
 * Not here: the embedded engine, and what is stored; the rooms above do not know which port they stand on.
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
export type { BatchEntry, BatchKey, BatchWriteEntry } from "./batch/batch-entry.ts";
export { type BatchGetOptions, type BatchGetResult, batchGet, batchGetStream } from "./batch/batch-get.ts";
export { type BatchWriteOptions, batchWrite, batchWriteStream } from "./batch/batch-write.ts";
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientErrorExtra,
  clientErrorKinds,
  isClientError,
} from "./client-error.ts";
export { connect } from "./connect.ts";
export type { ConnectOptions } from "./connect-options.ts";
export type { CredentialProvider, Credentials } from "./credentials/credentials.ts";
export { httpPort } from "./http/http-port.ts";
export type { HttpPortOptions } from "./http/http-port-options.ts";
export { checkItemSize } from "./item-size.ts";
export type { KeyNames } from "./key-text.ts";
export { type LoggedOptions, logged } from "./logging/logged.ts";
export { type Meter, type MeterSnapshot, meterDifference } from "./meter/meter.ts";
export { formatCost, type MeterCounts } from "./meter/meter-counts.ts";
export { type MeteredOptions, type MeteredPort, metered } from "./meter/metered.ts";
export type { OperationOptions } from "./operation-options.ts";
export { decodePageCursor, encodePageCursor } from "./paging/page-cursor.ts";
export type { PageOptions } from "./paging/page-options.ts";
export { queryItems, queryPages } from "./paging/query-pages.ts";
export { type ScanOptions, scanItems, scanPages } from "./paging/scan-pages.ts";
export { type BackoffPolicy, backoffMs } from "./retry/backoff.ts";
export { type WaitLimits, waitWithin } from "./retry/wait-within.ts";
export { type SdkClientConfig, sdkClient } from "./sdk/sdk-client.ts";
export { type SdkPortOptions, sdkPort } from "./sdk/sdk-port.ts";
export { type SdkStreamsClientConfig, sdkStreamsClient } from "./sdk/sdk-streams-client.ts";
export { checkTable, requireTable } from "./tables/check-table.ts";
export { createTableInput, timeToLiveInput } from "./tables/create-table-input.ts";
export { type EnsuredTable, type EnsureTableOptions, ensureTable } from "./tables/ensure-table.ts";
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
export { toAwsCli } from "./tables/to-aws-cli.ts";
export { toCloudFormation } from "./tables/to-cloud-formation.ts";
export { toTerraform } from "./tables/to-terraform.ts";
export { type TracedOptions, traced } from "./telemetry/traced.ts";
export { type CancellationMeaning, cancellationMeaning } from "./transact/cancellation-meaning.ts";
export { transactGet } from "./transact/transact-get.ts";
export { transactGetGroups } from "./transact/transact-get-groups.ts";
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
