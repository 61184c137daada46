import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addSnapshotOptions, findSnapshots, type SnapshotFlags } from "../journal/snapshot-flags.ts";

/** `tablekeep snapshot list` */
export function addSnapshotListCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "list", {
    summary: "list the snapshots of an id",
    description: "Lists the snapshots of a persistence id by rising sequence number, with their times.",
    examples: ["npx tablekeep snapshot list cart-17"],
  }).argument("<id>", "the persistence id");
  addSnapshotOptions(command).action((id: string, flags: SnapshotFlags) => list(id, flags, context));
}

async function list(id: string, flags: SnapshotFlags, { io, printNext }: CommandContext): Promise<void> {
  await using found = await findSnapshots(flags, io);
  for await (const snapshot of found.snapshots.list(id, {}, { signal: io.signal })) {
    const { sequenceNr, timestamp } = snapshot;
    await printNext(
      () => `${String(sequenceNr).padStart(8)}  ${new Date(timestamp).toISOString()}`,
      () => snapshot,
    );
  }
}
