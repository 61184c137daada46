/**
 * shadow: device shadows.
 *
 * Here: the store in godeviceshadow's layout, merge, delta, policies, REST and MQTT semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export type { ShadowCallOptions } from "./call-options.ts";
export type { DocumentObject, DocumentValue } from "./document/document-value.ts";
export { ExactNumber } from "./document/exact-number.ts";
export type { DocumentMetadata, MetadataObject } from "./merge/document-metadata.ts";
export type { ShadowId } from "./rows/row-keys.ts";
export type { Half, RowKind, ShadowModel } from "./rows/row-kind.ts";
export type { RowMetadata } from "./rows/stored-row.ts";
export {
  isShadowError,
  ShadowError,
  type ShadowErrorCode,
  type ShadowErrorDetails,
  shadowErrorKinds,
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
