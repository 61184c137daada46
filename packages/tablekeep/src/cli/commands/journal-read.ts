import type { JournalEvent } from "@tablekeep/journal";
import type { JournalStats } from "@tablekeep/journal/tools";
import { type Command, Option } from "commander";
import { eventJson, payloadText } from "../../json/journal-json.ts";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable, runUntilStopped } from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import { grouped } from "../frame/progress.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import {
  addJournalOptions,
  addRateOptions,
  addSourceOption,
  type JournalFlags,
  type RateFlags,
  requireRange,
  type SourceFlags,
  withProgress,
} from "../journal/journal-flags.ts";

/** Prints events, one per line. */
export async function printEvents(
  events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>,
  { printNext }: CommandContext,
): Promise<void> {
  for await (const event of events)
    await printNext(
      () => eventText(event),
      () => eventJson(event),
    );
}

function eventText(event: JournalEvent): string {
  const { sequenceNr, timestamp, tags } = event;
  const time = timestamp === 0 ? "-" : new Date(timestamp).toISOString();
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  return printable(`${String(sequenceNr).padStart(8)}  ${time.padEnd(24)}  ${payloadText(event)}${tagged}`);
}

interface ListFlags extends JournalFlags, SourceFlags {
  readonly after?: string;
  readonly limit?: number;
}

/** `tablekeep journal list` */
export function addJournalListCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "list", {
    summary: "list persistence ids",
    description:
      "Lists the persistence ids of a journal, one per line. The source scan reads the whole table and finds every id with an event; rows does the same page by page, with cursors; registry is cheap, and has only the ids that Tablekeep created or registered.",
    examples: [
      "npx tablekeep journal list",
      "npx tablekeep journal list --source registry --region eu-west-1",
    ],
  });
  addSourceOption(command)
    .option("--after <cursor>", "continue after this cursor of the registry or of rows")
    .option("--limit <number>", "maximum number of ids", parseInteger(1));
  addJournalOptions(command).action((flags: ListFlags) => list(flags, context));
}

async function list(flags: ListFlags, { io, printNext, printIfNone }: CommandContext): Promise<void> {
  if (flags.after !== undefined && flags.source !== "registry" && flags.source !== "rows")
    throw new CliError(
      "CLI_OPTION_MISSING",
      "--after continues a list of the registry or of rows: add --source registry or --source rows",
    );
  const { openJournalReader } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  const journal = await openJournalReader(found.port, found.journal);
  const { source, after, limit = Number.POSITIVE_INFINITY } = flags;
  let printed = 0;
  for await (const id of journal.currentPersistenceIds({ source, after, signal: io.signal })) {
    await printNext(
      () => printable(id.persistenceId),
      () => id,
    );
    printed++;
    if (printed === limit) return;
  }
  printIfNone(
    flags.after === undefined ? "No persistence ids: the journal has no events." : "No further ids.",
  );
}

interface GetFlags extends JournalFlags {
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

/** `tablekeep journal get` */
export function addJournalGetCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "get", {
    summary: "print the events of an id",
    description:
      "Prints the events of a persistence id in order, one per line. An unknown id is an error. Writes nothing to the table.",
    examples: [
      "npx tablekeep journal get cart-17",
      "npx tablekeep journal get cart-17 --from 100 --limit 20 --json",
    ],
  })
    .argument("<id>", "persistence id")
    .option("--from <number>", "first sequence number; -1 prints only the last event", parseInteger(-1))
    .option("--to <number>", "last sequence number", parseInteger(1))
    .option("--limit <number>", "maximum number of events", parseInteger(1));
  addJournalOptions(command).action((id: string, flags: GetFlags) => get(id, flags, context));
}

async function get(id: string, flags: GetFlags, context: CommandContext): Promise<void> {
  const { from = 1, to = Number.POSITIVE_INFINITY, limit: max = Number.POSITIVE_INFINITY } = flags;
  if (from === -1 && flags.to !== undefined)
    throw new CliError("CLI_OPTION_CONFLICT", "--from -1 is the last event: remove --to");
  requireRange(from, to);
  const { eventsInRange, openJournalReader } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, context.io);
  const journal = await openJournalReader(found.port, found.journal);
  const { signal } = context.io;
  await requireId(found, id, signal);
  await printEvents(eventsInRange(journal, id, { from, to, max, signal }), context);
}

interface WatchFlags extends JournalFlags {
  readonly from?: number;
  readonly last?: number;
}

/** `tablekeep journal watch` */
export function addJournalWatchCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "watch", {
    summary: "print new events as they are written",
    description:
      "Prints the last events of a persistence id, then new ones, until Ctrl+C. Polls the table a few times per second while there are new events, and every 3 seconds otherwise. Use feed watch for the events of all ids.",
    examples: ["npx tablekeep journal watch cart-17", "npx tablekeep journal watch cart-17 --from 1 --json"],
  })
    .argument("<id>", "persistence id")
    .option("--from <number>", "start at this sequence number of the id", parseInteger(1))
    .addOption(
      new Option("--last <number>", "number of earlier events to print first (default: 10)")
        .argParser(parseInteger(0))
        .conflicts("from"),
    );
  addJournalOptions(command).action((id: string, flags: WatchFlags) => watch(id, flags, context));
}

async function watch(id: string, flags: WatchFlags, context: CommandContext): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  const { signal } = context.io;
  await runUntilStopped(signal, async () => {
    await using found = await findJournal(flags, context.io);
    requireServed(found.store.isExclusive, `journal get ${printable(id)}`);
    const journal = await openJournalReader(found.port, found.journal);
    const highest = flags.from === undefined ? await journal.highestSequenceNr(id, { signal }) : 0;
    const from = flags.from ?? Math.max(1, highest - (flags.last ?? 10) + 1);
    await printEvents(journal.eventsById(id, { from, signal }), context);
  });
}

/** `tablekeep journal stats` */
export function addJournalStatsCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "stats", {
    summary: "print statistics of a journal",
    description:
      "Counts ids, events, bytes, formats, serializers, marks and tombstones of a journal or of one id. Reads the table once.",
    examples: ["npx tablekeep journal stats", "npx tablekeep journal stats cart-17 --json"],
  }).argument("[id]", "only this persistence id");
  addJournalOptions(addRateOptions(command)).action(
    (id: string | undefined, flags: JournalFlags & RateFlags) => stats(id, flags, context),
  );
}

async function stats(
  persistenceId: string | undefined,
  flags: JournalFlags & RateFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { journalStats } = await import("@tablekeep/journal/tools");
  await using found = await findJournal(flags, io);
  if (persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const counted = await withProgress(io, { rates: flags, verb: "read" }, (options) =>
    journalStats(found.port, found.journal, { ...options, persistenceId }),
  );
  print(statsText(counted), counted);
}

function statsText(stats: JournalStats): string {
  const { byFormat, bySerializer, longest, oldest, newest } = stats;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${name}: ${grouped(count)}`)
      .join(", ");
  const time = (at: number | undefined) => (at === undefined ? "-" : new Date(at).toISOString());
  const lines: readonly (readonly [string, string])[] = [
    ["ids", grouped(stats.ids)],
    ["events", `${grouped(stats.events)}, ${grouped(stats.eventBytes)} bytes`],
    ["largest event", `${grouped(stats.largestEventBytes)} bytes`],
    ["longest id", longest ? printable(`${longest.persistenceId} (${grouped(longest.events)})`) : "-"],
    ["times", `${time(oldest)} to ${time(newest)}`],
    ["formats", list({ ...byFormat })],
    ["serializers", list(bySerializer)],
    ["softly deleted", grouped(stats.softlyDeleted)],
    ["staged rows", grouped(stats.staged)],
    ["unreadable rows", grouped(stats.unreadable)],
    ["tombstones", grouped(stats.tombstones)],
    ["marks", `${grouped(stats.highMarks)} high, ${grouped(stats.lowMarks)} low`],
    ["writer items", grouped(stats.writerItems)],
    ["commit records", grouped(stats.commitRecords)],
    ["registered ids", grouped(stats.registered)],
    ["other items", grouped(stats.otherItems)],
  ];
  return lines.map(([name, value]) => `${name.padEnd(16)}${value}`).join("\n");
}
