/**
 * journal/tools: what an operator needs, as functions. The command line calls the same.
 *
 * Here: verify, repair, migrate, export, import and statistics; which journals a store has; the messages of the plugin 0.x.
 * Not here: what an application needs to write and read events, which is `@tablekeep/journal`.
 */
export {
  type DiscoveredJournal,
  type DiscoveredJournals,
  discoverJournal,
  discoverJournals,
  readStoredSettings,
  type StoredSettings,
} from "../settings/discover-journals.ts";
export { type CompactOptions, type CompactSummary, compactJournal } from "./compact-journal.ts";
export {
  type JournalLocation,
  type MigrateOptions,
  type MigrationSummary,
  migrateJournal,
} from "./copy/migrate-journal.ts";
export { type ExpireOptions, type ExpireSummary, expireEvents } from "./expire-events.ts";
export { type ExportOptions, exportEvents } from "./export/export-events.ts";
export type {
  ExportedBytes,
  ExportedEnd,
  ExportedEvent,
  ExportedId,
  ExportFoot,
  ExportHead,
  ExportLine,
} from "./export/export-format.ts";
export {
  type ImportOptions,
  type ImportSummary,
  importEvents,
} from "./export/import-events.ts";
export { type ExportedSoFar, type PartlyExported, readExported } from "./export/read-export.ts";
export type { JournalStats, StoredFormat } from "./journal-stats.ts";
export { journalStats, type StatsOptions } from "./journal-stats.ts";
export {
  type RepairOptions,
  type RepairStep,
  type Repairs,
  repairJournal,
} from "./repair-journal.ts";
export { openScatteredMessages } from "./scattered/open-scattered-messages.ts";
export type {
  DeleteMessageOptions,
  ScatteredMessage,
  ScatteredMessages,
} from "./scattered/scattered-messages.ts";
export type { IdChoice } from "./tool-ids.ts";
export type { ToolOptions, ToolProgress } from "./tool-options.ts";
export {
  type Finding,
  type FindingKind,
  findingSeverities,
  type Repair,
  type Severity,
} from "./verify/finding.ts";
export {
  type Verification,
  type VerifyOptions,
  type VerifySummary,
  verifyJournal,
} from "./verify/verify-journal.ts";
