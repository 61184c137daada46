import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addShadowDeleteCommand } from "./shadow-delete.ts";
import { addShadowGetCommand } from "./shadow-get.ts";
import { addShadowListCommand } from "./shadow-list.ts";
import { addShadowDesireCommand, addShadowReportCommand, addShadowUpdateCommand } from "./shadow-update.ts";
import { addShadowWatchCommand } from "./shadow-watch.ts";

/** `tablekeep shadow …`: looks at device shadows and changes them. */
export function addShadowCommand(program: Command, context: CommandContext): void {
  const shadow = addCommand(program, "shadow", {
    summary: "look at device shadows and change them",
    description:
      "Looks at device shadows and changes them: those of this program and those of godeviceshadow.",
    examples: ["npx tablekeep shadow get lamp", `npx tablekeep shadow desire lamp '{"on":true}'`],
  });
  const commands = [
    addShadowListCommand,
    addShadowGetCommand,
    addShadowUpdateCommand,
    addShadowDesireCommand,
    addShadowReportCommand,
    addShadowDeleteCommand,
    addShadowWatchCommand,
  ];
  for (const addTo of commands) addTo(shadow, context);
}
