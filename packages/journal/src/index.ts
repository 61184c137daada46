/**
 * journal: events and snapshots.
 *
 * Here: event journals in four layouts (two of them those of the Akka Persistence plugins), snapshots, codecs and queries, on
 * any DynamoDB port. The tools around them (verify, repair, migrate, export, statistics) are `@tablekeep/journal/tools`.
 * Not here: entities, which decide and evolve; the embedded engine; anything that depends on which port it runs on.
 */
export { type Outcome, unwrap } from "@tablekeep/core";
export { type BuiltInCodec, builtInCodecs } from "./codecs/built-in-codecs.ts";
export type {
  Codec,
  Codecs,
  EncodedPayload,
  Gone,
  PayloadContext,
  PayloadPart,
  SyncCodec,
  SyncCodecs,
} from "./codecs/codec.ts";
export { forgottenPayload } from "./codecs/codec.ts";
export type { CodecsOptions, SerializerChoice } from "./codecs/codecs-options.ts";
export type { CompressionOptions } from "./codecs/compression.ts";
export { createCodecs } from "./codecs/create-codecs.ts";
export type { MaybePromise } from "./codecs/maybe-promise.ts";
export { akkaSerializers, ownSerializers } from "./codecs/serializer-ids.ts";
export type {
  AppendByIdOptions,
  AppendOptions,
  AtomicWrite,
  DeleteOptions,
  EventIds,
  Fencing,
  FoldOptions,
  IdSource,
  Inventory,
  Journal,
  JournalEvent,
  JournalWriter,
  KnownId,
  LoadedEvents,
  LoadedState,
  LoadOptions,
  NewEvent,
  Outcomes,
  PersistenceIdsOptions,
  PurgeOptions,
  ReplayFilterMode,
  ReplayOptions,
  WrittenRange,
} from "./context/journal.ts";
export type { JournalOptions } from "./context/journal-options.ts";
export { journalTableSpec } from "./context/journal-options.ts";
export {
  isJournalError,
  JournalError,
  type JournalErrorCode,
  type JournalErrorDetails,
  type JournalErrorExtra,
  journalErrorKinds,
  type RejectedItem,
  type SnapshotProblem,
} from "./errors/journal-error.ts";
export { type JournalConnection, journalSource } from "./journal-source.ts";
export type { LayoutName } from "./layouts/layout.ts";
export type { LinearNames } from "./layouts/linear-layout.ts";
export { type LoadedTail, type LoadTailOptions, loadTail } from "./load-tail.ts";
export { openJournal } from "./open-journal.ts";
export { type JournalReader, openJournalReader } from "./open-journal-reader.ts";
export { type EventRange, eventsInRange } from "./queries/events-in-range.ts";
export { type IdPage, type ListIdsOptions, listIds } from "./queries/list-ids.ts";
export type { MessageNames } from "./rows/message-format.ts";
export type { RowFormat } from "./rows/row-format.ts";
export { openSnapshots } from "./snapshots/open-snapshots.ts";
export type { SnapshotsOptions } from "./snapshots/snapshot-options.ts";
export type {
  CollectedGarbage,
  DeleteSnapshotOptions,
  LoadSnapshotOptions,
  OnUnreadable,
  SaveSnapshotOptions,
  Snapshot,
  SnapshotCriteria,
  SnapshotMetadata,
  Snapshots,
} from "./snapshots/snapshots.ts";
export { type SnapshotTableOptions, snapshotTableSpec } from "./snapshots/snapshots.ts";
export { type EventsView, type TailView, viewEvents, viewTail } from "./view-tail.ts";
