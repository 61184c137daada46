import { type Logger, silentLogger } from "@tablekeep/core";
import type { Feed, FeedEvent, ReadFeedOptions, UnreadableEvent, UnreadableItems } from "@tablekeep/feed";
import { feedEventJson, unreadableError, unreadableJson } from "../../json/feed-json.ts";
import { feedRows, isUnreadable } from "../../json/feed-rows.ts";
import { payloadText } from "../../json/journal-json.ts";
import { type CommandContext, type CommandIo, printable } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { type FoundJournal, findJournal } from "./find-journal.ts";
import type { JournalFlags } from "./journal-flags.ts";

/** The feed of a journal that a command line names. */
export interface FoundFeed extends FoundJournal {
  readonly feed: Feed;
}

/** Long, because a large page can be slow over a slow connection. */
const deadlineMs = 60_000;

/** Opens the feed of the journal that the command line names. The feed itself may not exist. */
export async function findFeed(
  flags: JournalFlags,
  io: CommandIo,
  logger: Logger = silentLogger,
): Promise<FoundFeed> {
  const { openFeed } = await import("@tablekeep/feed");
  const found = await findJournal(flags, io);
  try {
    return { ...found, feed: await openFeed(found.port, { journal: found.journal, deadlineMs, logger }) };
  } catch (error) {
    await found.port.close();
    throw error;
  }
}

/**
 * Prints events of a feed, one per line, until there are no more, the limit is reached, or the command is interrupted. Those that cannot be
 * read are printed with their error. Returns the number of these.
 */
export async function printFeed(
  feed: Pick<Feed, "read">,
  { max = Number.POSITIVE_INFINITY, ...reading }: ReadFeedOptions & { readonly max?: number },
  { io, printNext }: CommandContext,
): Promise<number> {
  let printed = 0;
  let unreadable = 0;
  for await (const row of feedRows(feed, { ...reading, signal: io.signal })) {
    if (isUnreadable(row)) {
      unreadable++;
      await printNext(
        () => unreadableText(row),
        () => unreadableJson(row),
      );
    } else
      await printNext(
        () => feedEventText(row),
        () => feedEventJson(row),
      );
    printed++;
    if (printed >= max) break;
  }
  return unreadable;
}

/** An event of a feed in one line. */
export function feedEventText(event: FeedEvent): string {
  const { persistenceId, sequenceNr, timestamp, tags } = event;
  const time = timestamp === 0 ? "-" : new Date(timestamp).toISOString();
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  return lineOf({ persistenceId, sequenceNr }, time, `${payloadText(event)}${tagged}`);
}

/** An event that cannot be read in one line. */
export function unreadableText(event: UnreadableEvent): string {
  const { code, message } = unreadableError(event);
  return lineOf(event, "unreadable", `${message} [${code}]`);
}

/** Describes which items of a journal a sweep could not read, and what to do. */
export function unreadableItems({ count, items }: UnreadableItems): string {
  const named = items.map(
    ({ persistenceId, sequenceNr, code }) => `event ${sequenceNr} of ${persistenceId} (${code})`,
  );
  const more = count > items.length ? [`${count - items.length} more`] : [];
  const all = [...named, ...more].join(", ");
  return printable(
    `${counted(count, "item")} of the journal could not be read, and the feed may lack their events: ${all}; repair what "tablekeep journal verify" finds, then run "tablekeep feed run --once --sweep"`,
  );
}

function lineOf(
  { persistenceId, sequenceNr }: Pick<FeedEvent, "persistenceId" | "sequenceNr">,
  time: string,
  text: string,
): string {
  return printable(`${`${persistenceId} ${sequenceNr}`.padEnd(24)}  ${time.padEnd(24)}  ${text}`);
}
