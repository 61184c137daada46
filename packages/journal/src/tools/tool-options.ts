import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { rate } from "../context/call-checks.ts";

/** Progress of a tool. */
export interface ToolProgress {
  /** Number of ids completed. */
  readonly ids: number;
  /** Total number of ids; undefined while unknown. */
  readonly ofIds?: number;
  /** Number of events or rows processed so far. */
  readonly events: number;
  /** The current id. */
  readonly persistenceId?: string;
}

/** Options that all tools have. */
export interface ToolOptions {
  /** Stops the tool. Completed work is kept, and the tool can be run again. @default none */
  readonly signal?: AbortSignal;
  /** Called from time to time with the progress. @default none */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Maximum number of requests per second. @default unlimited */
  readonly maxRequestsPerSecond?: number;
  /** Maximum number of capacity units per second, reads and writes together. @default unlimited */
  readonly maxUnitsPerSecond?: number;
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

/** Counts what a tool does, and reports it to `onProgress`. */
export class ProgressReport {
  readonly #onProgress: ToolOptions["onProgress"];
  #reported = 0;
  ids = 0;
  ofIds: number | undefined;
  events = 0;

  constructor({ onProgress }: ToolOptions) {
    this.#onProgress = onProgress;
  }

  /** One more row of an id. */
  row(persistenceId: string, count = 1): void {
    this.events += count;
    if (this.events - this.#reported >= every) this.#report(persistenceId);
  }

  /** One id is done. */
  id(persistenceId: string): void {
    this.ids++;
    this.#report(persistenceId);
  }

  #report(persistenceId: string): void {
    this.#reported = this.events;
    this.#onProgress?.({ ids: this.ids, ofIds: this.ofIds, events: this.events, persistenceId });
  }
}
