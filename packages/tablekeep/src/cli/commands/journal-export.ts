import { resolve } from "node:path";
import type { ExportedSoFar } from "@tablekeep/journal/tools";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { streamOutput } from "../frame/text-output.ts";
import { appendOutput } from "../journal/event-files.ts";
import { findJournal, requireId } from "../journal/find-journal.ts";
import {
  addJournalOptions,
  addRateOptions,
  addSourceOption,
  type JournalFlags,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "../journal/journal-flags.ts";

interface ExportFlags extends JournalFlags, RateFlags, SourceFlags {
  readonly output?: string;
  readonly resume?: true;
}

/** `tablekeep journal export` */
export function addJournalExportCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "export", {
    summary: "export events as JSON lines",
    description:
      "Writes the events of a journal or of one id as JSON lines that import reads. --resume continues an interrupted export. Writes nothing to the table.",
    examples: [
      "npx tablekeep journal export --output events.ndjson",
      "npx tablekeep journal export --output events.ndjson --resume",
    ],
  })
    .argument("[id]", "only this persistence id")
    .option("-o, --output <file>", "output file, which must not exist (default: stdout)")
    .option("--resume", "continue an interrupted export");
  addJournalOptions(addRateOptions(addSourceOption(command))).action(
    (id: string | undefined, flags: ExportFlags) => exportTo(id, flags, context),
  );
}

async function exportTo(
  persistenceId: string | undefined,
  flags: ExportFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { exportEvents } = await import("@tablekeep/journal/tools");
  const { output, source } = flags;
  if (flags.resume && output === undefined)
    throw new CliError("CLI_OPTION_MISSING", "--resume requires --output");
  const resume = flags.resume && output !== undefined ? await readExportProgress(output) : undefined;
  if (resume?.complete) {
    printDone(`${output} is already complete.`, { output, lines: 0 });
    return;
  }
  await using found = await findJournal(flags, io);
  if (persistenceId !== undefined) await requireId(found, persistenceId, io.signal);
  const target =
    output === undefined ? streamOutput(io.stdout) : await appendOutput(resolve(output), resume?.bytes);
  let lines = 0;
  try {
    await withProgress(io, { rates: flags, verb: "exported" }, async (options) => {
      const run = { ...options, persistenceId, source, resume };
      for await (const line of exportEvents(found.port, found.journal, run)) {
        await target.write(line);
        lines++;
      }
    });
  } finally {
    await target.finish();
  }
  if (output !== undefined)
    printDone(`Exported ${counted(lines, "line")} to ${output}.`, { output, lines, complete: true });
}

async function readExportProgress(file: string): Promise<ExportedSoFar> {
  const { readExported } = await import("@tablekeep/journal/tools");
  const { openReadable } = await import("../journal/event-files.ts");
  await using exported = await openReadable(file);
  return await readExported(exported.chunks());
}
