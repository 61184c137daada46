import {
  type Clock,
  callChecks,
  type Logger,
  type OptionChecks,
  optionCheck,
  type Random,
} from "@tablekeep/core";
import type { JournalOptions } from "@tablekeep/journal";
import type { CatchUpOptions, RebuildOptions, RunFeedOptions, VerifyFeedOptions } from "./feed.ts";
import { checkOptions, optionInvalid } from "./feed-error.ts";
import { virtualSlices } from "./pages/slices.ts";
import type { FeedPlace, ReadFeedOptions } from "./read/feed-event.ts";
import type { ChangeSource } from "./stream/change-source.ts";

/** Options of a feed. */
export interface FeedOptions {
  /** The journal whose events the feed contains: its table and layout, as for `openJournal`. @default { table: "events" } */
  readonly journal?: JournalOptions;
  /** The name of the feed, in its items' keys. @default "all" */
  readonly name?: string;
  /** Number of slices of a new feed: a power of two up to 1,024. Each is read and written separately. @default 16 */
  readonly slices?: number;
  /**
   * How late the stream may show a change before the order within an id can suffer, in milliseconds. Later events are flagged as `late`.
   * @default 60,000; 1,000 on the embedded engine and DynamoDB Local, whose streams are in order
   */
  readonly windowMs?: number;
  /** How long a process holds the lease of the sequencer, in milliseconds. The lease only saves work: correctness does not depend on it. @default 15,000 */
  readonly leaseMs?: number;
  /**
   * How long the sequencer waits for further events before it reads the stream again, in milliseconds. Events that arrive meanwhile share
   * pages: a longer wait makes the feed cheaper and slower. @default 50 on the embedded engine and DynamoDB Local; 250 on the engine in this
   * process while no reader of this process waits; 0 elsewhere, where a stream is read five times a second
   */
  readonly lingerMs?: number;
  /** How often the sequencer stores its progress, in milliseconds. @default 2,000 */
  readonly checkpointMs?: number;
  /** The longest wait of a live reader before it polls again, in milliseconds. @default 2,000 */
  readonly pollMs?: number;
  /** How many events a sweep or `verify` compares at once. About 100 bytes of memory for each; the ids are listed once for each such part. @default 500,000 */
  readonly eventsAtOnce?: number;
  /** The stream that the sequencer reads. @default the stream of the journal's table, which is enabled if it has none */
  readonly source?: ChangeSource;
  /** Deadline of one request, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** The source of time. @default the machine's clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the system's */
  readonly random?: Random;
  /** Logger for non-fatal problems. @default none */
  readonly logger?: Logger;
}

const checks: OptionChecks<FeedOptions> = {
  journal: optionCheck.objectWith(),
  name: optionCheck.fitting(
    "1 to 64 letters, digits, dots or underscores",
    (value) => typeof value === "string" && /^[A-Za-z0-9_.]{1,64}$/.test(value),
  ),
  slices: optionCheck.fitting(
    "a power of two from 1 to 1024",
    (value) =>
      typeof value === "number" && Number.isInteger(Math.log2(value)) && value >= 1 && value <= virtualSlices,
  ),
  windowMs: optionCheck.integer(0),
  leaseMs: optionCheck.milliseconds,
  lingerMs: optionCheck.integer(0),
  checkpointMs: optionCheck.integer(0),
  pollMs: optionCheck.milliseconds,
  eventsAtOnce: optionCheck.integer(1),
  source: optionCheck.objectWith("read"),
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

/** The names of all options. */
export const feedOptionNames: readonly string[] = Object.keys(checks);

const readChecks: OptionChecks<ReadFeedOptions> = {
  from: (value) =>
    (typeof value === "string" && value !== "") || (value instanceof Date && !Number.isNaN(value.getTime()))
      ? undefined
      : 'must be "start", "end", a position or a valid Date',
  slices: (value) => {
    const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown };
    const isRange =
      Number.isInteger(from) && Number.isInteger(to) && 0 <= Number(from) && Number(from) <= Number(to);
    return isRange && Number(to) < virtualSlices ? undefined : "must be a range within 0 and 1023";
  },
  type: optionCheck.nonEmptyString,
  tag: optionCheck.nonEmptyString,
  live: optionCheck.boolean,
  onUnreadable: optionCheck.callback,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** The names of all options for reading. */
export const readFeedOptionNames: readonly string[] = Object.keys(readChecks);

/** Throws `FEED_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkFeedOptions(options: FeedOptions): void {
  checkOptions(options, checks);
}

/** Throws `FEED_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkReadOptions(options: ReadFeedOptions): void {
  checkOptions(options, readChecks);
}

/** Throws `FEED_OPTION_INVALID` unless the value is a place in a feed. */
export function checkFeedPlace(place: FeedPlace): void {
  const { last } = (typeof place === "object" ? (place ?? {}) : {}) as { readonly last?: unknown };
  // A missing value would mean the start.
  if (last === undefined) checkReadOptions({ from: (place as string | Date | null) ?? "" });
  else if (!(Number.isInteger(last) && Number(last) >= 1 && Number(last) <= 1_000))
    throw optionInvalid("last", "must be an integer from 1 to 1000");
}

const catchUpChecks: OptionChecks<CatchUpOptions> = {
  signal: callChecks.signal,
  onProgress: optionCheck.callback,
};

const verifyChecks: OptionChecks<VerifyFeedOptions> = { ...callChecks, onProgress: optionCheck.callback };
const rebuildChecks: OptionChecks<RebuildOptions> = { ...callChecks, slices: checks.slices };
const removeChecks: OptionChecks<{ readonly signal?: AbortSignal }> = { signal: callChecks.signal };

/** The options of the other calls. */
type FeedCall = "call" | "catchUp" | "run" | "verify" | "rebuild" | "removeOld";

const otherChecks: Readonly<Record<FeedCall, OptionChecks<object>>> = {
  call: callChecks,
  catchUp: catchUpChecks,
  run: catchUpChecks,
  verify: verifyChecks,
  rebuild: rebuildChecks,
  removeOld: removeChecks,
};

/** Throws `FEED_OPTION_INVALID` for unknown options and unsuitable values of a call. */
export function checkFeedCall(call: FeedCall, options: object): void {
  checkOptions(options, otherChecks[call]);
  if (call === "run" && (options as Partial<RunFeedOptions>).signal === undefined)
    throw optionInvalid("signal", "is missing: it ends the run");
}
