import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { addToolOptions, runTool, type ToolFlags } from "../journal/journal-tool.ts";

/** `tablekeep journal expire` */
export function addJournalExpireCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "expire", {
    summary: "remove the data of expired events",
    description:
      "Removes payload and metadata of the expired events of a journal or one id. Their sequence numbers, ids, tags and times stay. The journal may be read and written meanwhile. Run it again if it is interrupted.",
    examples: ["npx tablekeep journal expire", "npx tablekeep journal expire cart-17 --json"],
  });
  addToolOptions(command).action((id: string | undefined, flags: ToolFlags) => expire(id, flags, context));
}

async function expire(
  persistenceId: string | undefined,
  flags: ToolFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { expireEvents } = await import("@tablekeep/journal/tools");
  const { summary, table } = await runTool(
    io,
    { persistenceId, flags, verb: "checked", changes: true },
    ({ port, journal }, options) => expireEvents(port, journal, options),
  );
  const { ids, events } = summary;
  printDone(`Removed the data of ${counted(events, "expired event")} of ${counted(ids, "id")}.`, {
    ...summary,
    table,
  });
}
