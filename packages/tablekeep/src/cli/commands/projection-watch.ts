import { sleep, systemClock } from "@tablekeep/core";
import type { ProjectionStatus } from "@tablekeep/feed/projections";
import type { Command } from "commander";
import { addCommand, parseRate } from "../frame/add-command.ts";
import { type CommandContext, printable, runUntilStopped } from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import { grouped } from "../frame/progress.ts";
import { addVersionOptions, findProjections, type VersionFlags } from "../journal/find-projections.ts";

interface WatchFlags extends VersionFlags {
  readonly interval: number;
}

/** `tablekeep projection watch` */
export function addWatchCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "watch", {
    summary: "print the progress of a projection",
    description:
      "Prints the state, lag and parked events of a projection, and again whenever one of them or its position changes, until Ctrl+C.",
    examples: [
      "npx tablekeep projection watch balances",
      "npx tablekeep projection watch balances --projection-version 2 --json",
    ],
  }).option("--interval <seconds>", "polling interval", parseRate, 1);
  addVersionOptions(command).action((name: string, flags: WatchFlags) => watch(name, flags, context));
}

async function watch(name: string, flags: WatchFlags, context: CommandContext): Promise<void> {
  const { io, printNote, printRow } = context;
  const { signal } = io;
  const version = flags.projectionVersion;
  await runUntilStopped(signal, async () => {
    await using found = await findProjections(flags, io);
    let { slices, ...status } = await found.projections.status(name, { version, signal });
    requireServed(found.store.isExclusive, `projection get ${printable(name)}`);
    printNote(`${"time".padEnd(26)}${headings}`);
    let seen = "";
    while (!signal.aborted) {
      const progress = progressOf({ slices, ...status });
      if (progress !== seen) {
        const at = new Date(systemClock.now()).toISOString();
        const shown = status;
        await printRow(
          () => `${at}  ${lineOf(shown)}`,
          () => ({ at, ...shown }),
        );
      }
      seen = progress;
      await sleep(systemClock, flags.interval * 1000, signal);
      ({ slices, ...status } = await found.projections.status(name, { version, signal }));
    }
  });
}

/** The values for whose changes a line is printed. */
function progressOf({ version, state, lagEvents, parked, lastError, slices }: ProjectionStatus): string {
  const positions = slices.map(({ slice, offset }) => [slice, offset]);
  return JSON.stringify([version, state, lagEvents, parked, lastError, positions]);
}

/** The heading of a list of projections. */
export const headings: string = `${"state".padEnd(8)}${"lag".padStart(10)}  ${"parked".padStart(6)}  name and version`;

/** Returns a projection as one line of a list. */
export function lineOf(status: Omit<ProjectionStatus, "slices">): string {
  const { name, version, versions, state, lagEvents, parked } = status;
  const others = versions.length === 1 ? "" : `  (versions ${versions.join(", ")})`;
  const counts = `${grouped(lagEvents).padStart(10)}  ${grouped(parked).padStart(6)}`;
  return printable(`${state.padEnd(8)}${counts}  ${name} ${version}${others}`);
}
