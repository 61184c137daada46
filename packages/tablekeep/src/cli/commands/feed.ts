import type { Logger } from "@tablekeep/core";
import type { CatchUpOptions, Feed, FeedFinding, FeedStatus, VerifyProgress } from "@tablekeep/feed";
import type { Command } from "commander";
import { feedStart, feedTotals } from "../../json/feed-json.ts";
import { addCommand, addConfirmOption, type ConfirmFlag, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import {
  type CommandContext,
  confirm,
  labeled,
  printable,
  runUntilStopped,
} from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import { counted, grouped, Progress } from "../frame/progress.ts";
import { stderrLogger } from "../frame/server-output.ts";
import { findFeed, printFeed, unreadableItems } from "../journal/find-feed.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { addEventFilter, type EventFilter } from "./feed-filter.ts";
import { addFeedWaitCommand } from "./feed-wait.ts";

/** `tablekeep feed …`: reads and checks the events of a journal across ids. */
export function addFeedCommand(program: Command, context: CommandContext): void {
  const feed = addCommand(program, "feed", {
    summary: "read the events of a journal across ids",
    description: "Reads, checks and runs the feed of a journal: its events across ids, by position.",
    examples: ["npx tablekeep feed list --type cart", "npx tablekeep feed get --region eu-west-1"],
  });
  const commands = [
    addListCommand,
    addGetCommand,
    addWatchCommand,
    addFeedWaitCommand,
    addVerifyCommand,
    addRunCommand,
    addRebuildCommand,
  ];
  for (const addTo of commands) addTo(feed, context);
}

function addGetCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "get", {
    summary: "print the state of a feed",
    description: "Prints the state of a feed, how far it is behind the journal, and which process runs it.",
    examples: ["npx tablekeep feed get", "npx tablekeep feed get --table orders --json"],
  });
  addJournalOptions(command).action((flags: JournalFlags) => get(flags, context));
}

async function get(flags: JournalFlags, { io, print }: CommandContext): Promise<void> {
  await using found = await findFeed(flags, io);
  const now = await found.feed.status({ signal: io.signal });
  print(statusText(now), { ...now, ...feedTotals(now) });
}

function statusText(feed: FeedStatus): string {
  const { name, generation, state, lagMs, lease, streamArn, slices } = feed;
  const { events, pages } = feedTotals(feed);
  const until = lease && new Date(lease.until).toISOString();
  const corrupt = slices.flatMap(({ error }): [string, string][] =>
    error === undefined ? [] : [["corrupt", error]],
  );
  const unread: [string, string][] =
    feed.unreadable === undefined ? [] : [["unreadable", unreadableItems(feed.unreadable)]];
  return labeled([
    ["feed", `${name}, generation ${generation}`],
    ["state", state],
    ["lag", lagMs === undefined ? "not known" : `up to ${(lagMs / 1000).toFixed(1)} s`],
    ["run by", lease === undefined ? "no process" : `${lease.owner} until ${until}`],
    ["events", `${grouped(events)} in ${counted(pages, "page")} of ${counted(slices.length, "slice")}`],
    ["stream", streamArn],
    ...corrupt,
    ...unread,
  ]);
}

interface EventFlags extends EventFilter {
  readonly limit?: number;
}

function addEventOptions(command: Command, from: string): Command {
  addEventFilter(command, from).option("--limit <number>", "maximum number of events", parseInteger(1));
  return addJournalOptions(command);
}

async function printEvents(flags: EventFlags, live: boolean, context: CommandContext): Promise<void> {
  const { from, type, tag, slices, limit: max } = flags;
  await using found = await findFeed(flags, context.io);
  if (live && found.store.isExclusive) {
    // A feed that does not exist is the error to report first.
    await found.feed.status({ signal: context.io.signal });
    requireServed(true, "feed list");
  }
  const reading = { from: feedStart(from), type, tag, slices, max, live };
  const unreadable = await printFeed(found.feed, reading, context);
  if (unreadable > 0 && !context.io.signal.aborted)
    throw new CliError(
      "CLI_EVENTS_UNREADABLE",
      `${counted(unreadable, "event")} could not be read: "tablekeep journal verify" finds what is damaged`,
    );
}

function addListCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "list", {
    summary: "print the events of all ids",
    description:
      "Prints events of all persistence ids, those of an id in order, one per line. The position of the last event printed is where to continue. Exits with 9 if an event could not be read.",
    examples: [
      "npx tablekeep feed list --type cart --limit 100",
      "npx tablekeep feed list --from 2026-11-16T08:00:00Z --json",
    ],
  });
  addEventOptions(command, "start").action(async (flags: EventFlags) => {
    await printEvents(flags, false, context);
    if (context.io.signal.aborted) throw new CliError("CLI_ABORTED", "interrupted");
    context.printIfNone("No events.");
  });
}

function addWatchCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "watch", {
    summary: "print new events of all ids as they are written",
    description:
      "Prints new events of all persistence ids, those of an id in order, one per line, until Ctrl+C. They appear while a process runs the feed.",
    examples: ["npx tablekeep feed watch", "npx tablekeep feed watch --from start --type cart --json"],
  });
  addEventOptions(command, "end").action((flags: EventFlags) =>
    runUntilStopped(context.io.signal, () => printEvents(flags, true, context)),
  );
}

function addVerifyCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "verify", {
    summary: "compare a feed with its journal",
    description:
      "Reads a feed and its journal, and prints every write that the feed lacks or has twice, and every item of the journal that cannot be read. Changes nothing. Exits with 9 if there is one.",
    examples: ["npx tablekeep feed verify", "npx tablekeep feed verify --table orders --json"],
  });
  addJournalOptions(command).action((flags: JournalFlags) => verify(flags, context));
}

async function verify(flags: JournalFlags, { io, print, printNext }: CommandContext): Promise<void> {
  await using found = await findFeed(flags, io);
  const progress = new Progress(io.stderr);
  const onProgress = ({ ids, events: done, ofEvents: total }: VerifyProgress) =>
    progress.show(() => ({ verb: "compared", done, total, unit: `events of ${counted(ids, "id")}` }));
  const { findings, ...summary } = await found.feed
    .verify({ signal: io.signal, onProgress })
    .finally(() => progress.clear());
  for (const finding of findings)
    await printNext(
      () => findingText(finding),
      () => finding,
    );
  const { ids, writes, pages, unreadable } = summary;
  const read = `${counted(writes, "write")} of ${counted(ids, "id")} with ${counted(pages, "page")}`;
  print(`Compared ${read}: ${counted(findings.length, "finding")}.`, { summary });
  if (findings.length === 0) return;
  const repair = unreadable === 0 ? "" : 'repair what "tablekeep journal verify" finds; then ';
  throw new CliError(
    "CLI_FEED_DAMAGED",
    `${counted(findings.length, "finding")}: ${repair}"tablekeep feed run --once --sweep" adds what is missing`,
  );
}

function findingText({ kind, slice, persistenceId, first, last, error }: FeedFinding): string {
  const where = persistenceId ?? `slice ${slice}`;
  const what = error === undefined ? `${first} to ${last}` : `${first} [${error.code}] ${error.message}`;
  return printable(`${kind.padEnd(10)}  ${where}: ${what}`);
}

interface RunFlags extends JournalFlags {
  readonly once?: true;
  readonly sweep?: true;
}

function addRunCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "run", {
    summary: "bring events into a feed",
    description:
      "Adds the events of a journal to its feed, until Ctrl+C. The first run creates the feed, and enables the table's stream if it has none. Any number of processes may run the same feed; one at a time does the work. With --once, exits with 9 if items of the journal could not be read.",
    examples: ["npx tablekeep feed run --once", "npx tablekeep feed run --region eu-west-1"],
  })
    .option("--once", "exit as soon as all events are in the feed")
    .option("--sweep", "compare the journal with an existing feed first, and add what is missing");
  addJournalOptions(command).action((flags: RunFlags) => run(flags, context));
}

async function run(flags: RunFlags, context: CommandContext): Promise<void> {
  if (flags.once === true) return runOnce(flags, context);
  const { io, print } = context;
  await runUntilStopped(io.signal, async () => {
    const { logger, onProgress, clear } = feedProgress(io);
    await using found = await findFeed(flags, io, logger);
    const { feed, table } = found;
    if (flags.sweep === true) await requestSweep(feed, io.signal);
    print(`Running the feed of ${table}. Press Ctrl+C to stop.`, { event: "started", table });
    await feed.run({ signal: io.signal, onProgress }).finally(clear);
  });
  print("Stopped.", { event: "stopped" });
}

async function runOnce(flags: RunFlags, { io, print }: CommandContext): Promise<void> {
  const { signal } = io;
  const { logger, onProgress, clear } = feedProgress(io);
  await using found = await findFeed(flags, io, logger);
  const { feed, table } = found;
  if (flags.sweep === true) await requestSweep(feed, signal);
  const { unreadable } = await feed.catchUp({ signal, onProgress }).finally(clear);
  if (signal.aborted) throw new CliError("CLI_ABORTED", "interrupted");
  const removed = await feed.removeOld({ signal });
  const totals = feedTotals(await feed.status({ signal }));
  const old = removed === 0 ? "" : ` ${counted(removed, "page")} of earlier generations were removed.`;
  print(`The feed of ${table} has ${counted(totals.events, "event")}.${old}`, {
    event: "done",
    ...totals,
    removed,
    ...(unreadable && { unreadable }),
  });
  if (unreadable !== undefined) throw new CliError("CLI_ITEMS_UNREADABLE", unreadableItems(unreadable));
}

/** Requests a sweep. A feed that does not exist yet needs none: its first run reads the whole journal. */
async function requestSweep(feed: Feed, signal: AbortSignal): Promise<void> {
  const { isFeedError } = await import("@tablekeep/feed");
  await feed.requestSweep({ signal }).catch((error: unknown) => {
    if (!isFeedError(error, "FEED_UNKNOWN")) throw error;
  });
}

/** A line that shows how many events were added to a feed. A log message replaces it. */
function feedProgress({ stderr }: CommandContext["io"]): {
  readonly logger: Logger;
  readonly onProgress: NonNullable<CatchUpOptions["onProgress"]>;
  readonly clear: () => void;
} {
  const progress = new Progress(stderr);
  const clear = () => progress.clear();
  const write = (text: string | Uint8Array) => {
    clear();
    stderr.write(text);
  };
  return {
    logger: stderrLogger({ write }),
    onProgress: ({ events: done }) => progress.show(() => ({ verb: "added", done, unit: "events" })),
    clear,
  };
}

interface RebuildFlags extends JournalFlags, ConfirmFlag {
  readonly slices?: number;
}

function addRebuildCommand(feed: Command, context: CommandContext): void {
  const command = addCommand(feed, "rebuild", {
    summary: "rebuild a feed from its journal",
    description:
      "Rebuilds a feed from its journal, for example with another number of slices. The next process that runs the feed does the work. Positions of the old feed become invalid, and projections have to start again.",
    examples: ["npx tablekeep feed rebuild --slices 64 --yes"],
  }).option(
    "--slices <number>",
    "number of slices: a power of two up to 1024 (default: as before)",
    parseInteger(1),
  );
  addJournalOptions(addConfirmOption(command)).action((flags: RebuildFlags) => rebuild(flags, context));
}

async function rebuild(flags: RebuildFlags, { io, print }: CommandContext): Promise<void> {
  const { slices, yes } = flags;
  await using found = await findFeed(flags, io);
  const { feed, table } = found;
  await confirm(io, yes, `Rebuild the feed of ${table}? All its positions become invalid.`);
  await feed.rebuild({ signal: io.signal, ...(slices !== undefined && { slices }) });
  print(`The next run of the feed of ${table} rebuilds it.`, { table, event: "requested" });
}
