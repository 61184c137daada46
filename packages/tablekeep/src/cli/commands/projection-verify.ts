import type { ProjectionFinding, ProjectionVerification } from "@tablekeep/feed/projections";
import type { Command } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import { addProjectionOptions, findProjections, type VersionFlags } from "../journal/find-projections.ts";

/** `tablekeep projection verify` */
export function addVerifyCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "verify", {
    summary: "compare projections with the feed",
    description:
      "Compares the positions and parked events of all projections, or of one, with the feed, and prints every finding. Does not read what projections have written: only their programs define that. Changes nothing. Exits with 9 if there are errors or warnings.",
    examples: ["npx tablekeep projection verify", "npx tablekeep projection verify balances --json"],
  })
    .argument("[name]", "only this projection")
    .option("--projection-version <number>", "only this version (default: all)", parseInteger(1));
  addProjectionOptions(command).action((name: string | undefined, flags: VersionFlags) =>
    verify(name, flags, context),
  );
}

async function verify(
  only: string | undefined,
  flags: VersionFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { signal } = io;
  const { projectionVersion: version } = flags;
  if (version !== undefined && only === undefined)
    throw new CliError("CLI_OPTION_CONFLICT", "--projection-version requires the name of a projection");
  await using found = await findProjections(flags, io);
  const { projections } = found;
  const names = only === undefined ? (await projections.list({ signal })).map(({ name }) => name) : [only];
  const summary = { projections: 0, versions: 0, slices: 0, parked: 0, error: 0, warning: 0, info: 0 };
  const progress = new Progress(io.stderr);
  try {
    for (const name of names) {
      const { findings, ...counts } = await projections.verify(name, { version, signal });
      add(summary, counts);
      progress.show(() => ({
        verb: "verified",
        done: summary.projections,
        total: names.length,
        unit: "projections",
      }));
      for (const finding of findings) {
        summary[finding.severity]++;
        await printNext(
          () => findingText(finding),
          () => finding,
        );
      }
    }
  } finally {
    progress.clear();
  }
  const { error, warning, info } = summary;
  const counts = [counted(error, "error"), counted(warning, "warning"), counted(info, "note")].join(", ");
  print(`Read ${counted(summary.projections, "projection")}: ${counts}.`, { summary });
  if (error + warning === 0) return;
  throw new CliError(
    "CLI_PROJECTIONS_DAMAGED",
    `${counted(error, "error")} and ${counted(warning, "warning")}: the lines above say what to do`,
  );
}

interface Counts {
  projections: number;
  versions: number;
  slices: number;
  parked: number;
}

function add(sum: Counts, { versions, slices, parked }: Omit<ProjectionVerification, "findings">): void {
  sum.projections++;
  sum.versions += versions;
  sum.slices += slices;
  sum.parked += parked;
}

function findingText({ kind, severity, name, version, slice, offset, message }: ProjectionFinding): string {
  const place = slice === undefined ? "" : `, slice ${slice}${offset === undefined ? "" : `:${offset}`}`;
  return printable(`${severity.padEnd(8)}${kind.padEnd(15)} ${name} ${version}${place}: ${message}`);
}
