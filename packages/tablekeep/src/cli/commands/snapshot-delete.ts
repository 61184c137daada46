import { type Command, Option } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { addSnapshotOptions, findSnapshots, type SnapshotFlags } from "../journal/snapshot-flags.ts";
import { parseWhole } from "../parse-number.ts";
import { printable } from "../printable.ts";

interface DeleteFlags extends SnapshotFlags {
  readonly sequenceNr?: number;
  readonly to?: number;
  readonly all?: true;
  readonly yes?: true;
}

/** `tablekeep snapshot delete` */
export function addSnapshotDeleteCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "delete", {
    summary: "delete snapshots of an id",
    description:
      "Deletes one snapshot of a persistence id, those up to a sequence number, or all. Run it again if it was cut off.",
    examples: [
      "npx tablekeep snapshot delete cart-17 --sequence-nr 100 --yes",
      "npx tablekeep snapshot delete cart-17 --to 100 --yes",
    ],
  })
    .argument("<id>", "the persistence id")
    .addOption(
      new Option("--sequence-nr <number>", "the snapshot of this number")
        .argParser(parseWhole(0))
        .conflicts(["to", "all"]),
    )
    .addOption(
      new Option("--to <number>", "all up to and with this number").argParser(parseWhole(0)).conflicts("all"),
    )
    .option("--all", "all of them")
    .option("--yes", "do not ask");
  addSnapshotOptions(command).action((id: string, flags: DeleteFlags) => remove(id, flags, context));
}

async function remove(
  persistenceId: string,
  flags: DeleteFlags,
  { io, print }: CommandContext,
): Promise<void> {
  const { sequenceNr, to, all } = flags;
  if (sequenceNr === undefined && to === undefined && all === undefined)
    throw new CliError("CLI_OPTION_MISSING", "say which: --sequence-nr, --to or --all");
  await using found = await findSnapshots(flags, io);
  const { signal } = io;
  const id = printable(persistenceId);
  const which = all
    ? "all snapshots"
    : sequenceNr === undefined
      ? `snapshots up to ${to}`
      : `snapshot ${sequenceNr}`;
  await confirm(io, flags.yes, `This deletes ${which} of ${id}, for good.`);
  const bounds = to === undefined ? {} : { maxSequenceNr: to };
  if (sequenceNr === undefined) await found.snapshots.deleteMany(persistenceId, bounds, { signal });
  else await found.snapshots.delete(persistenceId, sequenceNr, { signal });
  print(`Deleted ${which} of ${id}.`, {
    persistenceId,
    ...(sequenceNr !== undefined ? { sequenceNr } : bounds),
  });
}
