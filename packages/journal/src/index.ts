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
  DeleteOptions,
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
export {
  type DiscoveredJournal,
  type DiscoveredJournals,
  discoverJournals,
} from "./metadata/discover-journals.ts";
export { readStoredSettings, type StoredSettings } from "./metadata/stored-settings.ts";
export { openJournal } from "./open-journal.ts";
export { type JournalReader, openJournalReader } from "./open-journal-reader.ts";
export type { IdSource, KnownId, PersistenceIdsOptions } from "./queries/persistence-ids.ts";
export type { ReplayFilterMode } from "./replay/replay-filter.ts";
export type { MessageNames } from "./rows/message-format.ts";
export type { RowFormat } from "./rows/row-format.ts";
export { openScatteredMessages } from "./scattered/open-scattered-messages.ts";
export type {
  DeleteMessageOptions,
  ScatteredMessage,
  ScatteredMessages,
} from "./scattered/scattered-messages.ts";
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
export {
  type JournalPlace,
  type MigrateOptions,
  type MigrationSummary,
  migrateJournal,
} from "./tools/copy/migrate-journal.ts";
export { type ExportOptions, exportEvents } from "./tools/export/export-events.ts";
export type {
  ExportedBytes,
  ExportedEnd,
  ExportedEvent,
  ExportedId,
  ExportFoot,
  ExportHead,
  ExportLine,
} from "./tools/export/export-line.ts";
export {
  type ExportChunks,
  type ImportOptions,
  type ImportSummary,
  importEvents,
} from "./tools/export/import-events.ts";
export { type ExportedSoFar, readExported } from "./tools/export/read-exported.ts";
export {
  type RepairOptions,
  type RepairStep,
  type Repairs,
  repairJournal,
} from "./tools/repair/repair-journal.ts";
export { journalStats, type StatsOptions } from "./tools/stats/journal-stats.ts";
export type { JournalStats } from "./tools/stats/stats-count.ts";
export type { IdChoice } from "./tools/tool-ids.ts";
export type { ToolOptions, ToolProgress } from "./tools/tool-options.ts";
export {
  type Finding,
  type FindingKind,
  findingSeverities,
  type Repair,
  type Severity,
} from "./tools/verify/finding.ts";
export {
  type Verification,
  type VerifyOptions,
  type VerifySummary,
  verifyJournal,
} from "./tools/verify/verify-journal.ts";
