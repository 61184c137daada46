import type { Command } from "commander";
import { rowJson } from "../../server/shadow/shadow-json.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../printable.ts";
import { addShadowStoreOptions, findShadows, type ShadowStoreFlags } from "../shadow/shadow-store-flags.ts";

/** `tablekeep shadow list` */
export function addShadowListCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "list", {
    summary: "list the shadows of all things, or of one",
    description:
      "Lists shadows: thing, name, version and time. Those of all things by reading the whole table.",
    examples: ["npx tablekeep shadow list", "npx tablekeep shadow list lamp --json"],
  }).argument("[thing]", "one thing only");
  addShadowStoreOptions(command).action((thing: string | undefined, flags: ShadowStoreFlags) =>
    list(thing, flags, context),
  );
}

async function list(
  id: string | undefined,
  flags: ShadowStoreFlags,
  { io, printNext }: CommandContext,
): Promise<void> {
  await using found = await findShadows(flags, io);
  let token: string | undefined;
  do {
    const page = await found.manager.list({ id, token, signal: io.signal });
    for (const row of page.rows) {
      const name = row.name === "" ? "(classic)" : row.name;
      await printNext(
        () => printable(`${row.id}  ${name}  ${row.kind}  version ${row.version}`),
        () => rowJson(row),
      );
    }
    token = page.token;
  } while (token !== undefined);
}
