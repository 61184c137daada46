import type { IdSource, ToolOptions, ToolProgress } from "@tablekeep/journal";
import { type Command, Option } from "commander";
import type { CommandIo } from "../command-context.ts";
import { parseRate } from "../parse-number.ts";
import { grouped, Progress } from "../progress.ts";

/** How fast a tool may go. */
export interface RateFlags {
  readonly maxRequests?: number;
  readonly maxUnits?: number;
}

/** Adds the options that hold a tool back. */
export function addRateOptions(command: Command): Command {
  return command
    .option("--max-requests <number>", "requests a second at most", parseRate)
    .option("--max-units <number>", "capacity units a second at most", parseRate);
}

/** The same for the library. */
export function ratesOf({
  maxRequests,
  maxUnits,
}: RateFlags): Pick<ToolOptions, "maxRequestsPerSecond" | "maxUnitsPerSecond"> {
  return { maxRequestsPerSecond: maxRequests, maxUnitsPerSecond: maxUnits };
}

/** What may be copied. */
export interface CopyFlags {
  readonly allowUnreadableByAkka?: true;
}

export function addCopyOption(command: Command): Command {
  return command.option(
    "--allow-unreadable-by-akka",
    "copy events too that the Akka which shares the table cannot read",
  );
}

/** Where ids are looked up. */
export interface SourceFlags {
  readonly source?: IdSource;
}

export function addSourceOption(command: Command): Command {
  return command.addOption(
    new Option("--source <name>", "where ids are looked up; a scan of the table finds all of them")
      .choices(["registry", "index", "scan"])
      .default("scan"),
  );
}

/** Runs a tool with its rate, the signal of the command, and a line that tells how far it is. */
export async function withProgress<Result>(
  io: CommandIo,
  rates: RateFlags,
  verb: string,
  run: (options: ToolOptions) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(io.stderr);
  const onProgress = ({ ids, ofIds, events }: ToolProgress) => {
    const of = ofIds === undefined ? "" : ` of ${grouped(ofIds)}`;
    progress.show(() => `${verb} ${grouped(events)} events, ${grouped(ids)}${of} ids`);
  };
  try {
    return await run({ signal: io.signal, onProgress, ...ratesOf(rates) });
  } finally {
    progress.clear();
  }
}
