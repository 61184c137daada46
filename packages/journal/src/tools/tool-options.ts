import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { rate } from "../options/call-checks.ts";

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
