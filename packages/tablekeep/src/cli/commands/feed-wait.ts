import { systemClock } from "@tablekeep/core";
import type { Feed, FeedEvent, ReadFeedOptions } from "@tablekeep/feed";
import type { Command } from "commander";
import { feedEventJson, feedStart } from "../../json/feed-json.ts";
import { addCommand, parseRate } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { unserved, within } from "../frame/poll-until.ts";
import { feedEventText, findFeed, unreadableText } from "../journal/find-feed.ts";
import { addJournalOptions } from "../journal/journal-flags.ts";
import { addEventFilter, type EventFilter } from "./feed-filter.ts";

interface FeedWaitFlags extends EventFilter {
  readonly timeout: number;
}

/** `tablekeep feed wait` */
export function addFeedWaitCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "wait", {
    summary: "wait until a feed has an event",
    description:
      "Prints the first event of a feed after a position that has the type and the tag, or waits for it. Pass the position that was printed as --from to wait for the next one. Exits with 3 after the timeout.",
    examples: [
      "npx tablekeep feed wait --type cart --tag paid",
      "npx tablekeep feed wait --from end --timeout 5 --json",
    ],
  });
  addEventFilter(command, "start").option("--timeout <seconds>", "maximum time to wait", parseRate, 30);
  addJournalOptions(command).action((flags: FeedWaitFlags) => wait(flags, context));
}

async function wait(flags: FeedWaitFlags, { io, printNext }: CommandContext): Promise<void> {
  const { from, type, tag, slices, timeout } = flags;
  await using found = await findFeed(flags, io);
  // Reports a feed that does not exist.
  await found.feed.status({ signal: io.signal });
  const live = !found.store.isExclusive;
  const event = await firstWithin(
    found.feed,
    {
      from: feedStart(from),
      type,
      tag,
      slices,
      live,
      // It may be the awaited event, or another one.
      onUnreadable: (unread) => void io.stderr.write(`${unreadableText(unread)}\n`),
    },
    timeout,
    io.signal,
  );
  if (io.signal.aborted) throw new CliError("CLI_ABORTED", "interrupted");
  if (event === undefined)
    throw new CliError(
      "CLI_WAIT_TIMED_OUT",
      `no such event from ${from} on ${unserved(!live) ?? within(timeout)}`,
    );
  await printNext(
    () => feedEventText(event),
    () => feedEventJson(event),
  );
}

async function firstWithin(
  feed: Pick<Feed, "read">,
  reading: ReadFeedOptions,
  seconds: number,
  interrupted: AbortSignal,
): Promise<FeedEvent | undefined> {
  const late = new AbortController();
  const cancel = systemClock.after(seconds * 1000, () => late.abort());
  try {
    const signal = AbortSignal.any([interrupted, late.signal]);
    for await (const event of feed.read({ ...reading, signal })) return event;
    return undefined;
  } finally {
    cancel();
  }
}
