import type { Command } from "commander";
import { jsonValue } from "../../journal-json/json-value.ts";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { addSnapshotOptions, findSnapshots, type SnapshotFlags } from "../journal/snapshot-flags.ts";
import { parseWhole } from "../parse-number.ts";
import { printable } from "../printable.ts";

interface ShowFlags extends SnapshotFlags {
  readonly sequenceNr?: number;
}

/** `tablekeep snapshot show` */
export function addSnapshotShowCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "show", {
    summary: "print a snapshot of an id",
    description:
      "Prints the latest snapshot of a persistence id, or that of one sequence number. It is an error if there is none.",
    examples: [
      "npx tablekeep snapshot show cart-17",
      "npx tablekeep snapshot show cart-17 --sequence-nr 100 --json",
    ],
  })
    .argument("<id>", "the persistence id")
    .option("--sequence-nr <number>", "the snapshot of this number", parseWhole(0));
  addSnapshotOptions(command).action((id: string, flags: ShowFlags) => show(id, flags, context));
}

async function show(id: string, flags: ShowFlags, { io, print }: CommandContext): Promise<void> {
  await using found = await findSnapshots(flags, io);
  const { sequenceNr } = flags;
  const criteria = sequenceNr === undefined ? {} : { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
  const snapshot = await found.snapshots.load(id, criteria, { signal: io.signal });
  if (snapshot === undefined)
    throw new CliError("CLI_NO_SNAPSHOT", `there is no such snapshot of ${JSON.stringify(id)}`);
  const { state, metadata, ...rest } = snapshot;
  const time = new Date(snapshot.timestamp).toISOString();
  print(printable(`${snapshot.sequenceNr}  ${time}  ${JSON.stringify(jsonValue(state))}`), {
    ...rest,
    state: jsonValue(state),
    ...(metadata !== undefined && { metadata: jsonValue(metadata) }),
  });
}
