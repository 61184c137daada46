import type { JournalStats } from "@tablekeep/journal";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import { addJournalOptions, type JournalFlags } from "../journal/journal-flags.ts";
import { addRateOptions, type RateFlags, withProgress } from "../journal/tool-flags.ts";
import { printable } from "../printable.ts";
import { grouped } from "../progress.ts";

/** `tablekeep journal stats` */
export function addJournalStatsCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "stats", {
    summary: "count what a journal holds",
    description:
      "Counts ids, events, bytes, formats, serializers, marks and tombstones of a journal, by reading its table once; or of one id.",
    examples: ["npx tablekeep journal stats", "npx tablekeep journal stats cart-17 --json"],
  }).argument("[id]", "one persistence id only");
  addJournalOptions(addRateOptions(command)).action(
    (id: string | undefined, flags: JournalFlags & RateFlags) => stats(id, flags, context),
  );
}

async function stats(
  persistenceId: string | undefined,
  flags: JournalFlags & RateFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { journalStats } = await import("@tablekeep/journal");
  await using found = await findJournal(flags, io);
  if (persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const counted = await withProgress(io, flags, "read", (options) =>
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
