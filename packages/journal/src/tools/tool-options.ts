import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { rate } from "../context/call-checks.ts";

/** How far a tool has come. */
export interface ToolProgress {
  /** Ids that are done. */
  readonly ids: number;
  /** How many there are; undefined while that is not known. */
  readonly ofIds?: number | undefined;
  /** Events, or rows, that were looked at so far. */
  readonly events: number;
  /** The id that is being worked on. */
  readonly persistenceId?: string | undefined;
}

/** What every tool takes beside what is its own. */
export interface ToolOptions {
  /** Ends the work early: what was done stays done, and the tool can be run again. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Told now and then how far the work has come. @default none */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Requests a second at most, so that others get their share of the table. @default no bound */
  readonly maxRequestsPerSecond?: number | undefined;
  /** Capacity units a second at most, reads and writes together. @default no bound */
  readonly maxUnitsPerSecond?: number | undefined;
}

/** The checks of the options that every tool takes. */
export const toolOptionChecks: OptionChecks<ToolOptions> = {
  signal: optionCheck.signal,
  onProgress: optionCheck.callback,
  maxRequestsPerSecond: rate,
  maxUnitsPerSecond: rate,
};

/** Rows between two reports. */
const every = 256;

/** Counts what a tool does, and tells whoever wants to know. */
export class ProgressReport {
  readonly #onProgress: ToolOptions["onProgress"];
  #told = 0;
  ids = 0;
  ofIds: number | undefined;
  events = 0;

  constructor({ onProgress }: ToolOptions) {
    this.#onProgress = onProgress;
  }

  /** One more row of an id. */
  row(persistenceId: string, count = 1): void {
    this.events += count;
    if (this.events - this.#told >= every) this.#tell(persistenceId);
  }

  /** One id is done. */
  id(persistenceId: string): void {
    this.ids++;
    this.#tell(persistenceId);
  }

  #tell(persistenceId: string): void {
    this.#told = this.events;
    this.#onProgress?.({ ids: this.ids, ofIds: this.ofIds, events: this.events, persistenceId });
  }
}
