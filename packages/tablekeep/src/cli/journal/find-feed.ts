import { type Logger, silentLogger } from "@tablekeep/core";
import type { Feed, FeedEvent, ReadFeedOptions } from "@tablekeep/feed";
import { feedEventJson } from "../../json/feed-json.ts";
import { payloadText } from "../../json/journal-json.ts";
import { type CommandContext, type CommandIo, printable } from "../frame/command-context.ts";
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

/** Prints events of a feed, one per line, until there are no more, the limit is reached, or the command is interrupted. */
export async function printFeed(
  feed: Pick<Feed, "read">,
  { max = Number.POSITIVE_INFINITY, ...reading }: ReadFeedOptions & { readonly max?: number },
  { io, printNext }: CommandContext,
): Promise<void> {
  let left = max;
  if (left === 0) return;
  for await (const event of feed.read({ ...reading, signal: io.signal })) {
    await printNext(
      () => feedEventText(event),
      () => feedEventJson(event),
    );
    left--;
    if (left === 0) return;
  }
}

/** An event of a feed in one line. */
export function feedEventText(event: FeedEvent): string {
  const { persistenceId, sequenceNr, timestamp, tags } = event;
  const time = timestamp === 0 ? "-" : new Date(timestamp).toISOString();
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  const place = `${persistenceId} ${sequenceNr}`.padEnd(24);
  return printable(`${place}  ${time.padEnd(24)}  ${payloadText(event)}${tagged}`);
}
