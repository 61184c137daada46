import { sleep, systemClock } from "@tablekeep/core";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { parseRate } from "../parse-number.ts";
import { printView } from "../shadow/print-view.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  type ShadowNameFlags,
} from "../shadow/shadow-store-flags.ts";

interface WatchFlags extends ShadowNameFlags {
  readonly interval: number;
}

/** `tablekeep shadow watch` */
export function addShadowWatchCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "watch", {
    summary: "print a shadow whenever it changes",
    description:
      "Prints a shadow, and again whenever its version is another one, until Ctrl+C. Versions that come and go between two looks are not seen.",
    examples: ["npx tablekeep shadow watch lamp"],
  })
    .argument("<thing>", "the thing")
    .option("--interval <seconds>", "how often to look", parseRate, 1);
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: WatchFlags) =>
    watch(thing, flags, context),
  );
}

async function watch(id: string, flags: WatchFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  await using found = await findShadows(flags, context.io);
  let seen = 0;
  try {
    while (!signal.aborted) {
      const view = await found.manager.get({ id, name: flags.name }, { signal });
      if (view !== undefined && view.version !== seen) printView(view, context);
      seen = view?.version ?? 0;
      await sleep(systemClock, flags.interval * 1000, signal);
    }
  } catch (error) {
    // Ctrl+C is how it ends.
    if (!signal.aborted) throw error;
  }
}
