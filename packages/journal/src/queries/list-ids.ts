import { type OptionChecks, optionCheck } from "@tablekeep/core";
import type { Journal, KnownId } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { partsOf } from "../context/opened.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import { idSteps, sourceOfAll } from "./persistence-ids.ts";

/** Options of {@link listIds}. */
export interface ListIdsOptions {
  /** Only ids with this prefix. @default all */
  readonly prefix?: string;
  /** Maximum number of ids. @default 100 */
  readonly limit?: number;
  /** The `next` of the page before. @default from the beginning */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** One page of the ids of a journal. */
export interface IdPage {
  /** May be empty although more follow. */
  readonly ids: readonly KnownId[];
  /** Where to continue; undefined at the end. */
  readonly next?: string;
  /** Whether the ids were read from the rows of the table, because others write ids too: that reads the whole table. */
  readonly isScan: boolean;
}

const checks: OptionChecks<ListIdsOptions> = {
  prefix: (value) => (typeof value === "string" ? undefined : "must be a string"),
  limit: optionCheck.integer(1),
  after: optionCheck.nonEmptyString,
  signal: optionCheck.signal,
};

/** A prefix may match few ids: after this many the page ends, and the caller decides whether to continue. */
const maxIdsRead = 20_000;
/** Requests of a scan for one page, each of at most 1 MB. */
const maxScans = 8;

/**
 * Returns one page of the ids of a journal, in no particular order. From the registry it reads at most 20,000 ids; where others write ids
 * too, at most 8 MB of the table.
 *
 * @example
 * const { ids, next } = await listIds(journal, { prefix: "cart-", limit: 50 });
 */
export async function listIds(
  journal: Pick<Journal, "currentPersistenceIds">,
  options: ListIdsOptions = {},
): Promise<IdPage> {
  checkOptions(options, checks);
  const context = partsOf<{ readonly context: JournalContext }>(journal)?.context;
  if (context === undefined)
    throw optionInvalid("journal", "must be what openJournal or openJournalReader returned");
  const { prefix = "", limit = 100, after, signal } = options;
  const source = sourceOfAll(context);
  const ids: KnownId[] = [];
  const page = (next?: string): IdPage => ({
    ids,
    ...(next !== undefined && { next }),
    isScan: source !== "registry",
  });
  let read = 0;
  let scans = 0;
  for await (const { persistenceId, cursor } of idSteps(context, { source, after, signal })) {
    if (persistenceId === undefined) scans++;
    else read++;
    if (persistenceId?.startsWith(prefix)) ids.push({ persistenceId, cursor });
    if (ids.length === limit || read === maxIdsRead || scans === maxScans) return page(cursor);
  }
  return page();
}
