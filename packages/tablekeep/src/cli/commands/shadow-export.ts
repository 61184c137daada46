import { resolve } from "node:path";
import type { DynamoPort } from "@tablekeep/core";
import type { ExportedShadows } from "@tablekeep/shadow/tools";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import { streamOutput } from "../frame/text-output.ts";
import { appendOutput, openReadable } from "../journal/event-files.ts";
import { addShadowStoreOptions, findShadows, type ShadowStoreFlags } from "../shadow/find-shadows.ts";

interface ExportFlags extends ShadowStoreFlags {
  readonly output?: string;
  readonly resume?: true;
}

/** `tablekeep shadow export` */
export function addShadowExportCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "export", {
    summary: "export shadows as JSON lines",
    description:
      "Writes the shadows of all things, or of one, as JSON lines that import reads: every name, with versions, times and metadata, and the versions of deleted shadows. --resume continues an interrupted export. Writes nothing to the table.",
    examples: [
      "npx tablekeep shadow export --output shadows.ndjson",
      "npx tablekeep shadow export --output shadows.ndjson --resume",
      "npx tablekeep shadow export lamp",
    ],
  })
    .argument("[thing]", "only this thing")
    .option("-o, --output <file>", "output file, which must not exist (default: stdout)")
    .option("--resume", "continue an interrupted export");
  addShadowStoreOptions(command).action((thing: string | undefined, flags: ExportFlags) =>
    exportTo(thing, flags, context),
  );
}

async function exportTo(
  thing: string | undefined,
  flags: ExportFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { exportShadows } = await import("@tablekeep/shadow/tools");
  const { output } = flags;
  if (flags.resume && output === undefined)
    throw new CliError("CLI_OPTION_MISSING", "--resume requires --output");
  const resume = flags.resume && output !== undefined ? await readProgress(output) : undefined;
  if (resume?.complete) {
    printDone(`${output} is already complete.`, { output, lines: 0 });
    return;
  }
  await using found = await findShadows(flags, io);
  if (thing !== undefined) await requireThing(found.manager, thing, io.signal);
  const total = thing === undefined ? await itemCount(found.port, found.table) : undefined;
  const target =
    output === undefined ? streamOutput(io.stdout) : await appendOutput(resolve(output), resume?.bytes);
  const progress = new Progress(io.stderr);
  let lines = 0;
  let corrupt = 0;
  try {
    const run = exportShadows(found.port, found.store, {
      thing,
      resume,
      signal: io.signal,
      onProgress: (done) => progress.show(() => ({ verb: "exported", done, total, unit: "shadows" })),
      onCorrupt({ message }) {
        corrupt++;
        progress.clear();
        io.stderr.write(`left out: ${printable(message)}\n`);
      },
    });
    for await (const line of run) {
      await target.write(line);
      lines++;
    }
  } finally {
    progress.clear();
    await target.finish();
  }
  if (output !== undefined)
    printDone(`Exported ${counted(lines, "line")} to ${output}.`, { output, lines, complete: true });
  if (corrupt > 0)
    throw new CliError(
      "CLI_SHADOWS_DAMAGED",
      `left out ${counted(corrupt, "corrupt item")}: repair or delete, then export again`,
    );
}

async function readProgress(file: string): Promise<ExportedShadows> {
  const { readExportedShadows } = await import("@tablekeep/shadow/tools");
  await using exported = await openReadable(file);
  return await readExportedShadows(exported.chunks());
}

/** Throws for a thing without shadows, which is usually a misspelled one. */
async function requireThing(
  manager: Awaited<ReturnType<typeof findShadows>>["manager"],
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await manager.list({ id, limit: 1, signal });
  if (rows.length > 0) return;
  throw new CliError(
    "CLI_NO_SHADOW",
    `no shadow of ${JSON.stringify(id)}: "tablekeep shadow list" lists the shadows`,
  );
}

/** How many items the table has, for the progress; on AWS the number is up to six hours old. */
async function itemCount(port: DynamoPort, TableName: string): Promise<number | undefined> {
  const { Table } = await port.describeTable({ TableName });
  return Table?.ItemCount || undefined;
}
