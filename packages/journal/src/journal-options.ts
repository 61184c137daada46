import type { Clock, Logger, Random } from "@tablekeep/core";
import { silentLogger, systemClock, systemRandom } from "@tablekeep/core";
import type { Codecs } from "./codecs/codecs.ts";
import type { Fencing } from "./journal-context.ts";
import { JournalError } from "./journal-error.ts";
import type { LayoutName } from "./layouts/layout.ts";
import type { LinearNames } from "./layouts/linear/linear-layout.ts";
import type { ReplayFilterMode } from "./replay/replay-filter.ts";
import { type MessageNames, messageNames } from "./rows/message-format.ts";
import type { RowFormat } from "./rows/row-format.ts";

/** How to open a journal. The names and defaults are those of the Akka plugin's settings. */
export interface JournalOptions {
  /** The table. @default "akka-persistence" */
  readonly table?: string | undefined;
  /** How events lie in the table. @default "bucketed" */
  readonly layout?: LayoutName | undefined;
  /** The beginning of all keys; several journals may share a table. @default "journal"; in the linear layout "" */
  readonly journalName?: string | undefined;
  /** Over how many items the marks of an id are spread; never change it for a table. @default 10; in the scattered layout 1,000 */
  readonly sequenceShards?: number | undefined;
  /** How many buckets a replay reads at once. @default 10 */
  readonly replayParallelism?: number | undefined;
  /** Whether a deposed writer may still land one late event (`optimistic`), or never (`strict`, 4 times the price). @default "optimistic" */
  readonly fencing?: Fencing | undefined;
  /** The item format that events are written in; all are read. @default "event"; in the scattered layout "message" */
  readonly format?: RowFormat | undefined;
  /** What the key attributes of a linear table are called. @default { persistenceId: "pid", sequenceNr: "seq" } */
  readonly keyNames?: LinearNames | undefined;
  /** What the other attributes of the `message` format are called. @default `payload`, `deleted`, `confirmations` */
  readonly messageNames?: MessageNames | undefined;
  /** The largest item, in bytes as the original counts them; a larger event is rejected. DynamoDB's limit is 409,600. @default 400,000 */
  readonly maxItemSize?: number | undefined;
  /** What becomes of events by a writer that another had followed, where the original wrote them. @default "repair-by-discard-old" */
  readonly replayFilter?: ReplayFilterMode | undefined;
  /** Whether a replay's `max` counts events given, or all that are read, as the original does. @default "after-filter" */
  readonly countLimit?: "after-filter" | "before-filter" | undefined;
  /** Milliseconds for one call. @default 10,000 */
  readonly deadlineMs?: number | undefined;
  /** How payloads become bytes. @default JSON, and what Akka's own serializers write */
  readonly codecs?: Codecs | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** @default none */
  readonly logger?: Logger | undefined;
}

export type ResolvedJournalOptions = {
  readonly [Name in Exclude<keyof JournalOptions, "codecs">]-?: NonNullable<JournalOptions[Name]>;
};

const defaults: ResolvedJournalOptions = {
  table: "akka-persistence",
  layout: "bucketed",
  journalName: "journal",
  sequenceShards: 10,
  replayParallelism: 10,
  fencing: "optimistic",
  format: "event",
  keyNames: { persistenceId: "pid", sequenceNr: "seq" },
  messageNames,
  maxItemSize: 400_000,
  replayFilter: "repair-by-discard-old",
  countLimit: "after-filter",
  deadlineMs: 10_000,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
};

/** What differs from layout to layout, as it does between the originals. */
const layoutDefaults: Record<LayoutName, JournalOptions> = {
  bucketed: {},
  linear: { journalName: "" },
  scattered: { sequenceShards: 1000, format: "message" },
};

/** Fills in the defaults and checks what is given. */
export function resolveJournalOptions(options: JournalOptions): ResolvedJournalOptions {
  for (const option of Object.keys(options)) {
    if (option !== "codecs" && !Object.hasOwn(defaults, option))
      throw invalid(option, "there is no such option");
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { codecs: _codecs, ...rest } = given as JournalOptions;
  const resolved = {
    ...defaults,
    ...layoutDefaults[rest.layout ?? defaults.layout],
    ...rest,
  } as ResolvedJournalOptions;
  for (const option of ["sequenceShards", "replayParallelism", "maxItemSize", "deadlineMs"] as const) {
    if (!Number.isInteger(resolved[option]) || resolved[option] < 1) {
      throw invalid(option, "must be a whole number from 1 up");
    }
  }
  checkJournalName(resolved.journalName);
  return resolved;
}

const keyMarkers = ["-P-", "-SH-", "-SL-", "-W-", "-C-", "-R-"];

/**
 * Two journals in one table must not have keys in common: journal `a` with id `b-P-c` and journal `a-P-b` with id `c`
 * would. A name is refused if what follows it in a key could be taken for an earlier end of the name.
 */
function checkJournalName(name: string): void {
  const ambiguous = keyMarkers.find((marker) =>
    keyMarkers.some((next) => {
      const at = (name + next).indexOf(marker);
      return at >= 0 && at < name.length;
    }),
  );
  if (ambiguous !== undefined) {
    throw invalid(
      "journalName",
      `must not hold ${ambiguous}, nor end so that a key could: keys would be ambiguous`,
    );
  }
}

function invalid(option: string, reason: string): JournalError {
  return new JournalError("JOURNAL_OPTION_INVALID", `option ${option}: ${reason}`, { option, reason });
}
