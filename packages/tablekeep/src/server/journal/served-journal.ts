import {
  type Journal,
  type JournalOptions,
  type JournalReader,
  journalTableSpec,
  type Snapshots,
} from "@tablekeep/journal";
import type { EventWriters } from "./event-writers.ts";

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

/** A journal of the server's configuration that is open. */
export interface ConfiguredJournal {
  readonly config: JournalConfig;
  readonly journal: Journal;
  readonly snapshots: Snapshots;
}

/** A journal as the API has it. */
export interface ServedJournal {
  readonly config: JournalConfig;
  readonly journal: JournalReader;
  readonly snapshots: Snapshots;
  /** Undefined for a journal that was discovered: it is only read. */
  readonly writers: EventWriters | undefined;
}

/** The table of a journal. */
export function tableOf({ config }: Pick<ServedJournal, "config">): string {
  return journalTableSpec(config.journal).name;
}
