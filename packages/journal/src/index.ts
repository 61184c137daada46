/**
 * journal: events and snapshots.
 *
 * Here: event journals in three layouts (two of them those of the Akka Persistence plugins), snapshots, codecs, queries
 * and the tools around them, on any DynamoDB port.
 * Not here: entities, which decide and evolve; the embedded engine; anything that knows which port it stands on.
 */
export { type BuiltInCodec, builtInCodecs } from "./codecs/built-in-codecs.ts";
export type { Codec } from "./codecs/codec.ts";
export type { Codecs } from "./codecs/codecs.ts";
export type { CodecsOptions, SerializerChoice } from "./codecs/codecs-options.ts";
export type { CompressionOptions } from "./codecs/compression.ts";
export { createCodecs } from "./codecs/create-codecs.ts";
export type { EncodedPayload } from "./codecs/encoded-payload.ts";
export { akkaSerializers, ownSerializers } from "./codecs/serializer-ids.ts";
export type {
  AppendOptions,
  AtomicWrite,
  Inventory,
  Journal,
  JournalEvent,
  JournalWriter,
  NewEvent,
  ReplayOptions,
  WrittenRange,
} from "./journal.ts";
export type { Fencing } from "./journal-context.ts";
export {
  isJournalError,
  JournalError,
  type JournalErrorCode,
  type JournalErrorDetails,
  type JournalErrorExtra,
  journalErrorKinds,
} from "./journal-error.ts";
export type { JournalOptions } from "./journal-options.ts";
export { journalTableSpec } from "./journal-table-spec.ts";
export type { LayoutName } from "./layouts/layout.ts";
export type { LinearNames } from "./layouts/linear/linear-layout.ts";
export { openJournal } from "./open-journal.ts";
export type { IdSource, KnownId, PersistenceIdsOptions } from "./queries/persistence-ids.ts";
export type { ReplayFilterMode } from "./replay/replay-filter.ts";
export type { MessageNames } from "./rows/message-format.ts";
export type { RowFormat } from "./rows/row-format.ts";
export { openSnapshots } from "./snapshots/open-snapshots.ts";
export type { SnapshotsOptions } from "./snapshots/snapshot-options.ts";
export { type SnapshotTableOptions, snapshotTableSpec } from "./snapshots/snapshot-table-spec.ts";
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
