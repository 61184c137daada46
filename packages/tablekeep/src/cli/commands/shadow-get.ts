import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { printView } from "../shadow/print-view.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  type ShadowNameFlags,
} from "../shadow/shadow-store-flags.ts";

/** `tablekeep shadow get` */
export function addShadowGetCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "get", {
    summary: "print a shadow",
    description:
      "Prints a shadow as one line of JSON: what is desired, what is reported, and where they differ.",
    examples: ["npx tablekeep shadow get lamp", "npx tablekeep shadow get lamp --name config"],
  }).argument("<thing>", "the thing");
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: ShadowNameFlags) =>
    get(thing, flags, context),
  );
}

async function get(id: string, flags: ShadowNameFlags, context: CommandContext): Promise<void> {
  await using found = await findShadows(flags, context.io);
  const view = await found.manager.get({ id, name: flags.name }, { signal: context.io.signal });
  if (view === undefined)
    throw new CliError("CLI_NO_SHADOW", `there is no such shadow of ${JSON.stringify(id)}`);
  printView(view, context);
}
