import type { ExistingRule, ImportConflict } from "@tablekeep/shadow/tools";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, grouped, Progress } from "../frame/progress.ts";
import { openReadable } from "../journal/event-files.ts";
import {
  addShadowStoreOptions,
  describeShadow,
  findShadows,
  type ShadowStoreFlags,
} from "../shadow/find-shadows.ts";
import { addCreateOption } from "../store/open-store.ts";

interface ImportFlags extends ShadowStoreFlags {
  readonly ifAbsent?: true;
  readonly ifNewer?: true;
}

/** `tablekeep shadow import` */
export function addShadowImportCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "import", {
    summary: "import exported shadows",
    description:
      "Writes the shadows of an export into a table, with their versions, times and metadata. A shadow that the table has in another state is a conflict: it stays, and the command exits with 4, unless --if-absent or --if-newer is given. Run it again if it is interrupted.",
    examples: [
      "npx tablekeep shadow import shadows.ndjson",
      "npx tablekeep shadow import shadows.ndjson --if-newer",
      "npx tablekeep shadow import shadows.ndjson --create --table restored",
    ],
  })
    .argument("<file>", "file written by export")
    .option("--if-absent", "leave shadows that exist as they are")
    .option("--if-newer", "replace shadows that have a lower version than in the file, and leave the others");
  addCreateOption(command, "the table and the data folder");
  addShadowStoreOptions(command).action((file: string, flags: ImportFlags) =>
    importFrom(file, flags, context),
  );
}

async function importFrom(
  file: string,
  flags: ImportFlags,
  { io, print, printDone }: CommandContext,
): Promise<void> {
  const { importShadows } = await import("@tablekeep/shadow/tools");
  const existing = ruleOf(flags);
  await using exported = await openReadable(file);
  await using found = await findShadows(flags, io, { canCreate: true });
  const progress = new Progress(io.stderr);
  const summary = await importShadows(
    found.port,
    exported.isFile ? exported.chunks : exported.chunks(),
    found.store,
    {
      existing,
      signal: io.signal,
      onProgress: (done) =>
        progress.show(() => ({ verb: "imported", done, unit: "shadows", part: exported.partRead })),
      onConflict(conflict) {
        const { id: thing, name, kind, version, current } = conflict;
        print(printable(`conflict  ${conflictText(conflict)}`), {
          conflict: { thing, name, kind, version, current },
        });
      },
    },
  ).finally(() => progress.clear());
  const { written, same, kept, conflicts } = summary;
  const rest = [
    ...(same > 0 ? [`${grouped(same)} already existed`] : []),
    ...(kept > 0 ? [`${grouped(kept)} ${kept === 1 ? "was" : "were"} left as stored`] : []),
  ];
  printDone(`${[`Imported ${counted(written, "shadow")} into ${found.table}`, ...rest].join("; ")}.`, {
    table: found.table,
    ...summary,
  });
  if (conflicts > 0)
    throw new CliError(
      "CLI_SHADOW_EXISTS",
      `${counted(conflicts, "shadow")} of ${file} ${conflicts === 1 ? "exists" : "exist"} in another state and ${conflicts === 1 ? "was" : "were"} not changed: pass --if-newer to replace lower versions, or --if-absent to leave them`,
    );
}

function ruleOf({ ifAbsent, ifNewer }: ImportFlags): ExistingRule {
  if (ifAbsent && ifNewer)
    throw new CliError("CLI_OPTION_CONFLICT", "--if-absent and --if-newer cannot be combined: pass only one");
  if (ifAbsent) return "keep";
  return ifNewer ? "replace-older" : "conflict";
}

function conflictText({ id, name, kind, version, current }: ImportConflict): string {
  const half = kind === "combined" ? "" : ` (${kind})`;
  const stored = current === undefined ? "is stored in the other model" : `has version ${current}`;
  return `${describeShadow({ id, name })}${half} ${stored}, and version ${version} in the file`;
}
