import { type Command, Option } from "commander";
import { jsonValue } from "../../json/journal-json.ts";
import { addCommand, addConfirmOption, type ConfirmFlag, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { findSnapshots } from "../journal/find-snapshots.ts";
import { addSnapshotOptions, type SnapshotFlags } from "../journal/journal-flags.ts";

/** `tablekeep snapshot list` */
function addSnapshotListCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "list", {
    summary: "list the snapshots of an id",
    description: "Lists the snapshots of a persistence id by ascending sequence number, with their times.",
    examples: ["npx tablekeep snapshot list cart-17"],
  }).argument("<id>", "persistence id");
  addSnapshotOptions(command).action((id: string, flags: SnapshotFlags) => list(id, flags, context));
}

async function list(
  id: string,
  flags: SnapshotFlags,
  { io, printNext, printIfNone }: CommandContext,
): Promise<void> {
  await using found = await findSnapshots(flags, io);
  for await (const snapshot of found.snapshots.list(id, {}, { signal: io.signal })) {
    const { sequenceNr, timestamp } = snapshot;
    await printNext(
      () => `${String(sequenceNr).padStart(8)}  ${new Date(timestamp).toISOString()}`,
      () => snapshot,
    );
  }
  printIfNone(`No snapshots of ${printable(id)}.`);
}

interface GetFlags extends SnapshotFlags {
  readonly sequenceNr?: number;
}

/** `tablekeep snapshot get` */
function addSnapshotGetCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "get", {
    summary: "print a snapshot of an id",
    description:
      "Prints the latest snapshot of a persistence id, or the one at a sequence number. A missing snapshot is an error.",
    examples: [
      "npx tablekeep snapshot get cart-17",
      "npx tablekeep snapshot get cart-17 --sequence-nr 100 --json",
    ],
  })
    .argument("<id>", "persistence id")
    .option("--sequence-nr <number>", "snapshot at this sequence number", parseInteger(0));
  addSnapshotOptions(command).action((id: string, flags: GetFlags) => get(id, flags, context));
}

async function get(id: string, flags: GetFlags, { io, print }: CommandContext): Promise<void> {
  await using found = await findSnapshots(flags, io);
  const { sequenceNr } = flags;
  const criteria = sequenceNr === undefined ? {} : { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
  const snapshot = await found.snapshots.load(id, criteria, { signal: io.signal });
  if (snapshot === undefined) throw noSnapshot(id);
  const { state, metadata, ...rest } = snapshot;
  const time = new Date(snapshot.timestamp).toISOString();
  print(printable(`${snapshot.sequenceNr}  ${time}  ${JSON.stringify(jsonValue(state))}`), {
    ...rest,
    state: jsonValue(state),
    ...(metadata !== undefined && { metadata: jsonValue(metadata) }),
  });
}

interface DeleteFlags extends SnapshotFlags, ConfirmFlag {
  readonly sequenceNr?: number;
  readonly to?: number;
  readonly all?: true;
}

/** `tablekeep snapshot delete` */
function addSnapshotDeleteCommand(snapshot: Command, context: CommandContext): void {
  const command = addCommand(snapshot, "delete", {
    summary: "delete snapshots of an id",
    description:
      "Deletes one snapshot of a persistence id, all up to a sequence number, or all. It is an error if there is none. Run it again if it is interrupted.",
    examples: [
      "npx tablekeep snapshot delete cart-17 --sequence-nr 100 --yes",
      "npx tablekeep snapshot delete cart-17 --to 100 --yes",
    ],
  })
    .argument("<id>", "persistence id")
    .addOption(
      new Option("--sequence-nr <number>", "snapshot at this sequence number")
        .argParser(parseInteger(0))
        .conflicts(["to", "all"]),
    )
    .addOption(
      new Option("--to <number>", "all snapshots up to and including this sequence number")
        .argParser(parseInteger(0))
        .conflicts("all"),
    )
    .option("--all", "delete all snapshots");
  addSnapshotOptions(addConfirmOption(command)).action((id: string, flags: DeleteFlags) =>
    remove(id, flags, context),
  );
}

async function remove(
  persistenceId: string,
  flags: DeleteFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { sequenceNr, to, all } = flags;
  if (sequenceNr === undefined && to === undefined && all === undefined)
    throw new CliError("CLI_OPTION_MISSING", "missing selection: use --sequence-nr, --to or --all");
  await using found = await findSnapshots(flags, io);
  const { signal } = io;
  const id = printable(persistenceId);
  const which = all
    ? "all snapshots"
    : sequenceNr === undefined
      ? `snapshots up to ${to}`
      : `snapshot ${sequenceNr}`;
  const bounds = to === undefined ? {} : { maxSequenceNr: to };
  const one = sequenceNr === undefined ? bounds : { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
  const isThere = await hasAny(found.snapshots.list(persistenceId, one, { signal }));
  if (!isThere && flags.yes !== true) throw noSnapshot(persistenceId);
  await confirm(io, flags.yes, `This permanently deletes ${which} of ${id}.`);
  if (sequenceNr === undefined) await found.snapshots.deleteMany(persistenceId, bounds, { signal });
  else await found.snapshots.delete(persistenceId, sequenceNr, { signal });
  // An earlier delete may have been interrupted, and left parts of a large snapshot.
  if (!isThere) throw noSnapshot(persistenceId);
  printDone(`Deleted ${which} of ${id}.`, {
    persistenceId,
    ...(sequenceNr !== undefined ? { sequenceNr } : bounds),
  });
}

async function hasAny(list: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _each of list) return true;
  return false;
}

function noSnapshot(id: string): CliError {
  return new CliError(
    "CLI_NO_SNAPSHOT",
    `no such snapshot of ${JSON.stringify(id)}: "tablekeep snapshot list" lists those of an id`,
  );
}

/** `tablekeep snapshot …`: lists, prints and deletes snapshots. */
export function addSnapshotCommand(program: Command, context: CommandContext): void {
  const snapshot = addCommand(program, "snapshot", {
    summary: "list, get and delete snapshots",
    description: "Lists, prints and deletes snapshots of this program and of the Akka plugins.",
    examples: ["npx tablekeep snapshot list cart-17", "npx tablekeep snapshot get cart-17 --json"],
  });
  addSnapshotListCommand(snapshot, context);
  addSnapshotGetCommand(snapshot, context);
  addSnapshotDeleteCommand(snapshot, context);
}
