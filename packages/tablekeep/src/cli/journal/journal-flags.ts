import type { IdSource, JournalOptions, LayoutName } from "@tablekeep/journal";
import type { ToolOptions, ToolProgress } from "@tablekeep/journal/tools";
import { type Command, Option } from "commander";
import { parseInteger, parseRate } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import { addStoreOptions, type CreateOption, type StoreOptions } from "../store/open-store.ts";

/** The journal that a command works on, and its location. */
export interface JournalFlags extends StoreOptions, CreateOption {
  readonly table?: string;
  readonly layout?: LayoutName;
  readonly journalName?: string;
  readonly sequenceShards?: number;
}

/** Adds the options that name a journal and its location. */
export function addJournalOptions(command: Command): Command {
  command
    .optionsGroup("Which journal:")
    .option(
      "--table <name>",
      "journal table (default: from the settings, or events, or the only journal found)",
    )
    .addOption(layoutOption("--layout <name>", "its layout (default: by the table's keys)"))
    .option("--journal-name <name>", 'prefix of all keys (default: "journal"; none in the linear layout)')
    .option(
      "--sequence-shards <number>",
      "number of items that hold the marks (default: as the journal was created)",
      parseInteger(1),
    );
  return addStoreOptions(command);
}

/** Throws if no event can have a sequence number from `from` to `to`: an empty result would be misleading. */
export function requireRange(from: number, to: number): void {
  if (from <= to) return;
  throw new CliError("CLI_VALUE_INVALID", `no event is from ${from} to ${to}: exchange the two, or omit one`);
}

/** The Akka version that shares a journal's table. */
export interface AkkaFlag {
  readonly akka?: JournalOptions["akka"];
}

/** Adds the option for the Akka version that shares the table of a journal that is written. */
export function addAkkaOption(command: Command): Command {
  return command.addOption(akkaOption("--akka <version>"));
}

export function akkaOption(flags: string): Option {
  const description =
    "Akka version that shares the journal; 2.6 includes later versions and Pekko (default: as the journal was created)";
  return new Option(flags, description).choices(["none", "2.5", "2.6"]);
}

export function layoutOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(["packed", "bucketed", "linear", "scattered"]);
}

/** Rate limits of a tool. */
export interface RateFlags {
  readonly requestsPerSecond?: number;
  readonly unitsPerSecond?: number;
}

/** Adds the options that limit the rate of a tool. */
export function addRateOptions(command: Command): Command {
  return command
    .option("--requests-per-second <number>", "maximum requests per second", parseRate)
    .option("--units-per-second <number>", "maximum capacity units per second", parseRate);
}

/** The same as options of the library. */
export function ratesOf({
  requestsPerSecond,
  unitsPerSecond,
}: RateFlags): Pick<ToolOptions, "maxRequestsPerSecond" | "maxUnitsPerSecond"> {
  return { maxRequestsPerSecond: requestsPerSecond, maxUnitsPerSecond: unitsPerSecond };
}

/** The events that may be copied. */
export interface CopyFlags {
  readonly allowUnreadableByAkka?: true;
}

export function addCopyOption(command: Command): Command {
  return command.option(
    "--allow-unreadable-by-akka",
    "also copy events that the Akka version sharing the table cannot read",
  );
}

/** The source of the ids. */
export interface SourceFlags {
  readonly source?: IdSource;
}

export function addSourceOption(command: Command): Command {
  return command.addOption(
    new Option("--source <name>", "where to look up ids; a table scan finds all of them")
      .choices(["registry", "index", "rows", "scan"])
      .default("scan"),
  );
}

/** How a tool runs, and what its progress line shows. */
export interface ToolRun {
  readonly rates: RateFlags;
  /** What has been done to the events, as a past tense: `exported`. */
  readonly verb: string;
  /** The part that is done, from 0 to 1, for a tool without the number of its ids. @default unknown */
  readonly partDone?: () => number | undefined;
}

/** Runs a tool with its rate, the signal of the command, and a progress line. */
export async function withProgress<Result>(
  io: CommandIo,
  { rates, verb, partDone = () => undefined }: ToolRun,
  run: (options: ToolOptions) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(io.stderr);
  const onProgress = ({ ids, ofIds, events }: ToolProgress) => {
    // Ids differ in length: the number of ids shows how much is left, and the number of events shows the speed.
    const part = ofIds === undefined || ofIds === 0 ? partDone() : ids / ofIds;
    progress.show(() => ({ verb, done: events, unit: `events of ${counted(ids, "id")}`, part }));
  };
  try {
    return await run({ signal: io.signal, onProgress, ...ratesOf(rates) });
  } finally {
    progress.clear();
  }
}

/** The snapshots that a command works on, and their location. */
export interface SnapshotFlags extends StoreOptions {
  readonly table?: string;
  readonly journalName?: string;
}

/** Adds the options that name snapshots and their location. */
export function addSnapshotOptions(command: Command): Command {
  command
    .optionsGroup("Which snapshots:")
    .option(
      "--table <name>",
      "snapshot table, or table of a packed journal (default: from the settings, or by the journal)",
    )
    .option("--journal-name <name>", "prefix of all keys (default: from the settings, or journal)");
  return addStoreOptions(command);
}
