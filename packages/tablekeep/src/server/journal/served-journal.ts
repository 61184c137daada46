import type { Journal, JournalOptions, Snapshots } from "@tablekeep/journal";

/** A journal that a server offers, and its snapshots. */
export interface JournalConfig {
  /** What it is called in paths. */
  readonly name: string;
  /** How it is opened: table, layout, journal name, shards and all else. @default the journal's own defaults */
  readonly journal?: JournalOptions;
  /** The table of its snapshots. @default "snapshots" */
  readonly snapshotTable?: string;
}

/** What a server offers unless it is told otherwise: what the command line works on unless it is told otherwise. */
export const usualJournals: readonly JournalConfig[] = [{ name: "journal" }];

/** A journal that is open. */
export interface ServedJournal {
  readonly config: JournalConfig;
  readonly journal: Journal;
  readonly snapshots: Snapshots;
}
