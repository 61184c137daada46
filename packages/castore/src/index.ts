/**
 * castore: castore's event storage on a journal.
 *
 * Here: the mapping of castore's aggregates, events and versions to a journal, and its outcomes to castore's errors.
 * Not here: the journal and its layouts; the tables of castore's own DynamoDB adapter.
 */
export {
  CastoreAdapterError,
  type CastoreAdapterErrorCode,
  type CastoreAdapterErrorDetails,
  castoreAdapterErrorKinds,
  type EventAddress,
  isCastoreAdapterError,
  TablekeepEventAlreadyExistsError,
} from "./castore-adapter-error.ts";
export { type TablekeepAdapterOptions, TablekeepEventStorageAdapter } from "./event-storage-adapter.ts";
export { goneEventType, type StoredCastoreEvent } from "./stored-event.ts";
