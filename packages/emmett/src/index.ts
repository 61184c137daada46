/**
 * emmett: emmett's event store on a journal.
 *
 * Here: the mapping of emmett's streams, events and expected versions to a journal, and its outcomes to emmett's errors.
 * Not here: the journal and its layouts; projections and consumers across streams, which need a feed.
 */
export {
  EmmettStoreError,
  type EmmettStoreErrorCode,
  type EmmettStoreErrorDetails,
  emmettStoreErrorKinds,
  isEmmettStoreError,
} from "./emmett-store-error.ts";
export type {
  JournalAppendOptions,
  TablekeepEventStore,
  TablekeepEventStoreOptions,
  TablekeepReadEventMetadata,
} from "./event-store.ts";
export { getTablekeepEventStore } from "./get-event-store.ts";
export type { StoredEmmettEvent } from "./stored-event.ts";
