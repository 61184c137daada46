import type { ParkedEvent, ProjectionStatus } from "@tablekeep/feed/projections";
import type { Command } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { type CommandContext, labeled, printable } from "../frame/command-context.ts";
import { grouped } from "../frame/progress.ts";
import {
  addProjectionOptions,
  addVersionOptions,
  findProjections,
  type ProjectionFlags,
  type VersionFlags,
} from "../journal/find-projections.ts";
import {
  addDeleteCommand,
  addDropCommand,
  addPauseCommand,
  addResumeCommand,
  addRetryCommand,
  addRewindCommand,
  addSkipCommand,
  addSwitchCommand,
} from "./projection-control.ts";
import { addVerifyCommand } from "./projection-verify.ts";
import { addWaitCommand } from "./projection-wait.ts";
import { addWatchCommand, headings, lineOf } from "./projection-watch.ts";

/** `tablekeep projection …`: shows and controls the projections of a journal. */
export function addProjectionCommand(program: Command, context: CommandContext): void {
  const projection = addCommand(program, "projection", {
    summary: "show and control projections",
    description: "Shows and controls projections: read models that are maintained from a journal's feed.",
    examples: ["npx tablekeep projection get balances", "npx tablekeep projection retry balances"],
  });
  const commands = [
    addListCommand,
    addGetCommand,
    addWatchCommand,
    addWaitCommand,
    addVerifyCommand,
    addParkedCommand,
    addRetryCommand,
    addDropCommand,
    addSkipCommand,
    addPauseCommand,
    addResumeCommand,
    addRewindCommand,
    addSwitchCommand,
    addDeleteCommand,
  ];
  for (const addTo of commands) addTo(projection, context);
}

function addListCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "list", {
    summary: "list projections",
    description:
      "Lists the projections of a journal, one per line below a heading: state, lag in events, parked events, and the name with its current version.",
    examples: ["npx tablekeep projection list", "npx tablekeep projection list --json"],
  });
  addProjectionOptions(command).action((flags: ProjectionFlags) => list(flags, context));
}

async function list(flags: ProjectionFlags, context: CommandContext): Promise<void> {
  const { io, printRow, printNote } = context;
  const { signal } = io;
  // Without its table there are no projections; a table that the command line names must exist.
  await using found = await findProjections(flags, io, { orNone: flags.projectionsTable === undefined });
  const all = found.hasTable ? await found.projections.list({ signal }) : [];
  if (all.length === 0)
    return printNote("No projections yet: a program that calls runProjections creates them.");
  printNote(headings);
  for (const { name } of all) {
    const { slices: _slices, ...status } = await found.projections.status(name, { signal });
    await printRow(
      () => lineOf(status),
      () => status,
    );
  }
}

function addGetCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "get", {
    summary: "print the state of a projection",
    description:
      "Prints the state of a projection, how far it is behind the feed, who runs it, and the events that stopped it.",
    examples: ["npx tablekeep projection get balances", "npx tablekeep projection get balances --json"],
  });
  addVersionOptions(command).action((name: string, flags: VersionFlags) => get(name, flags, context));
}

async function get(name: string, flags: VersionFlags, { io, print }: CommandContext): Promise<void> {
  const version = flags.projectionVersion;
  await using found = await findProjections(flags, io);
  const now = await found.projections.status(name, { version, signal: io.signal });
  print(statusText(now), now);
}

function statusText(status: ProjectionStatus): string {
  const { name, version, current, versions, mode, state, feed, lagEvents, lagMs, parked, slices } = status;
  const applied = slices.reduce((sum, { offset }) => sum + offset, 0);
  const isCurrent = version === current ? "current" : `current is ${current}`;
  const filter = [feed.type && `type ${feed.type}`, feed.tag && `tag ${feed.tag}`].filter(Boolean).join(", ");
  return labeled([
    ["projection", `${name}, version ${version} (${isCurrent}; versions ${versions.join(", ")})`],
    ["state", state],
    ["mode", mode],
    ["feed", filter === "" ? feed.name : `${feed.name}, ${filter}`],
    ["position", `${grouped(applied)} events of ${slices.length} slices`],
    ["lag", `${grouped(lagEvents)} events, ${(lagMs / 1000).toFixed(1)} s`],
    ["speed", `${grouped(Math.round(status.eventsPerSecond))} events/s`],
    ["parked", grouped(parked)],
    ["run by", status.runners.join(", ") || "no process"],
    ...(status.lastError === undefined ? [] : [["last error", status.lastError] as const]),
    ...slices.flatMap(({ slice, failed }) =>
      failed === undefined ? [] : [[`slice ${slice}`, `stopped at ${eventText(failed)}`] as const],
    ),
  ]);
}

function eventText({
  persistenceId,
  sequenceNr,
  error,
}: Pick<ParkedEvent, "persistenceId" | "sequenceNr" | "error">) {
  return `${persistenceId} ${sequenceNr}: ${error}`;
}

interface ParkedFlags extends VersionFlags {
  readonly id?: string;
  readonly limit?: number;
}

function addParkedCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "parked", {
    summary: "print parked events",
    description:
      "Prints the events that a projection has parked because it could not apply them, one per line: slice:offset, the event, and the error. Later events of the same id are parked as well.",
    examples: ["npx tablekeep projection parked balances", "npx tablekeep projection parked balances --json"],
  })
    .option("--id <id>", "only events of this persistence id")
    .option("--limit <number>", "maximum number of events", parseInteger(1));
  addVersionOptions(command).action((name: string, flags: ParkedFlags) => parked(name, flags, context));
}

async function parked(name: string, flags: ParkedFlags, { io, printNext }: CommandContext): Promise<void> {
  const { projectionVersion: version, id: persistenceId, limit } = flags;
  await using found = await findProjections(flags, io);
  const options = { version, persistenceId, limit, signal: io.signal };
  for (const event of await found.projections.parked(name, options))
    await printNext(
      () => printable(`${`${event.slice}:${event.offset}`.padEnd(10)}  ${eventText(event)}`),
      () => event,
    );
}
