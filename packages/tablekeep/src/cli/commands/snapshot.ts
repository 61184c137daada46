import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addSnapshotDeleteCommand } from "./snapshot-delete.ts";
import { addSnapshotListCommand } from "./snapshot-list.ts";
import { addSnapshotShowCommand } from "./snapshot-show.ts";

/** `tablekeep snapshot …`: looks at snapshots, and deletes them. */
export function addSnapshotCommand(program: Command, context: CommandContext): void {
  const snapshot = addCommand(program, "snapshot", {
    summary: "list, show and delete snapshots",
    description: "Lists, shows and deletes snapshots: those of this program and those of the Akka plugins.",
    examples: ["npx tablekeep snapshot list cart-17", "npx tablekeep snapshot show cart-17 --json"],
  });
  addSnapshotListCommand(snapshot, context);
  addSnapshotShowCommand(snapshot, context);
  addSnapshotDeleteCommand(snapshot, context);
}
