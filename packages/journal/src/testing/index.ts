/**
 * testing: what any journal or snapshot store must do, as suites for any test runner.
 */

export { type CheckHistoryOptions, checkHistory } from "./check-history.ts";
export type {
  HistoryViolation,
  JournalHistoryEntry,
  JournalHistoryOperation,
  JournalHistoryResult,
  SeenEvent,
  SeenWrite,
} from "./journal-history.ts";
export type {
  JournalAbilities,
  JournalCase,
  JournalUnderTest,
  JournalWorld,
  OriginalRow,
  RowAccess,
} from "./journal-suite/journal-case.ts";
export {
  type JournalSuite,
  type JournalSuiteOptions,
  journalCases,
  journalSuite,
} from "./journal-suite/journal-suite.ts";
export {
  type JournalHistoryRecorder,
  type RecordedJournal,
  type RecordedWriter,
  recordedJournal,
} from "./recorded-journal.ts";
export type {
  SnapshotAbilities,
  SnapshotCase,
  SnapshotStoreUnderTest,
  SnapshotWorld,
} from "./snapshot-case.ts";
export {
  type SnapshotSuite,
  type SnapshotSuiteOptions,
  snapshotCases,
  snapshotSuite,
} from "./snapshot-suite.ts";
