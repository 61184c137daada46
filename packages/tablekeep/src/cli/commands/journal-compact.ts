import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { addToolOptions, runTool, type ToolFlags } from "../journal/journal-tool.ts";

/** `tablekeep journal compact` */
export function addJournalCompactCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "compact", {
    summary: "merge small items of a packed journal",
    description:
      "Merges small items of a journal or one id, so that it takes fewer read units and less space. Changes no event. The journal may be read and written meanwhile. Run it again if it is interrupted.",
    examples: ["npx tablekeep journal compact", "npx tablekeep journal compact cart-17 --json"],
  });
  addToolOptions(command).action((id: string | undefined, flags: ToolFlags) => compact(id, flags, context));
}

async function compact(
  persistenceId: string | undefined,
  flags: ToolFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { compactJournal } = await import("@tablekeep/journal/tools");
  const { summary, table } = await runTool(
    io,
    { persistenceId, flags, verb: "compacted", changes: true },
    ({ port, journal }, options) => compactJournal(port, journal, options),
  );
  const { ids, merged, into } = summary;
  printDone(`Merged ${counted(merged, "item")} of ${counted(ids, "id")} into ${counted(into, "other")}.`, {
    ...summary,
    table,
  });
}
