import { unwrap } from "@tablekeep/core";
import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { parseWhole } from "../parse-number.ts";
import { printable } from "../printable.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  type ShadowNameFlags,
} from "../shadow/shadow-store-flags.ts";

interface DeleteFlags extends ShadowNameFlags {
  readonly expect?: number;
  readonly yes?: true;
}

/** `tablekeep shadow delete` */
export function addShadowDeleteCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "delete", {
    summary: "delete a shadow",
    description:
      "Deletes a shadow. Its version is remembered for 48 hours: one that is made anew goes on from there.",
    examples: [
      "npx tablekeep shadow delete lamp --yes",
      "npx tablekeep shadow delete lamp --name config --yes",
    ],
  })
    .argument("<thing>", "the thing")
    .option("--expect <number>", "only if this is the version", parseWhole(1))
    .option("--yes", "do not ask");
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: DeleteFlags) =>
    remove(thing, flags, context),
  );
}

async function remove(id: string, flags: DeleteFlags, { io, print }: CommandContext): Promise<void> {
  const { name, expect: version, yes } = flags;
  await using found = await findShadows(flags, io);
  const named = printable(name === "" ? id : `${id}, ${name}`);
  await confirm(io, yes, `This deletes the shadow of ${named}.`);
  const deleted = unwrap(await found.manager.delete({ id, name, version }, { signal: io.signal }));
  print(`Deleted version ${deleted.version} of ${named}.`, { thing: id, name, version: deleted.version });
}
