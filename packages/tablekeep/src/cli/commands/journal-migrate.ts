import type { JournalOptions, LayoutName, RowFormat } from "@tablekeep/journal";
import { type Command, Option } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import type { CommandContext, CommandIo } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { findJournal, findTarget } from "../journal/find-journal.ts";
import {
  addCopyOption,
  addJournalOptions,
  addRateOptions,
  addSourceOption,
  akkaOption,
  type CopyFlags,
  type JournalFlags,
  layoutOption,
  type RateFlags,
  type SourceFlags,
  withProgress,
} from "../journal/journal-flags.ts";
import { type OpenStore, openStore } from "../store/open-store.ts";

interface MigrateFlags extends JournalFlags, RateFlags, SourceFlags, CopyFlags {
  readonly toTable: string;
  readonly toLayout?: LayoutName;
  readonly toJournalName?: string;
  readonly toSequenceShards?: number;
  readonly toAkka?: JournalOptions["akka"];
  readonly toFormat?: RowFormat;
  readonly toData?: string;
  readonly toEndpoint?: string;
  readonly toRegion?: string;
  readonly parallel: number;
}

/** `tablekeep journal migrate` */
export function addJournalMigrateCommand(journal: Command, context: CommandContext): void {
  const command = addCommand(journal, "migrate", {
    summary: "copy a journal into another table or layout",
    description:
      "Copies a journal or one id into another table, layout or format, and compares the result. Run it again to continue after an interruption, or to catch up with a journal that is still written. Only reads the source.",
    examples: [
      "npx tablekeep journal migrate --table journal-0.3 --to-table events --create",
      "npx tablekeep journal migrate cart-17 --to-table events --to-region eu-west-1",
    ],
  }).argument("[id]", "only this persistence id");
  addCopyOption(addTargetOptions(command));
  addJournalOptions(addRateOptions(addSourceOption(command))).action(
    (id: string | undefined, flags: MigrateFlags) => migrate(id, flags, context),
  );
}

function addTargetOptions(command: Command): Command {
  return command
    .requiredOption("--to-table <name>", "target table")
    .addOption(layoutOption("--to-layout <name>", "target layout (default: detected from the key schema)"))
    .option("--to-journal-name <name>", "target journal name")
    .option("--to-sequence-shards <number>", "number of items that hold the target's marks", parseInteger(1))
    .addOption(akkaOption("--to-akka <version>"))
    .addOption(new Option("--to-format <name>", "target item format").choices(["event", "pay", "message"]))
    .option("--to-data <folder>", "target data folder (default: same as the source)")
    .option("--to-endpoint <url>", "target DynamoDB-compatible server")
    .option("--to-region <name>", "target region of Amazon DynamoDB")
    .option("--create", "create the table and the data folder if they do not exist")
    .option("--parallel <number>", "number of ids copied in parallel", parseInteger(1), 4);
}

async function migrate(
  persistenceId: string | undefined,
  flags: MigrateFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { migrateJournal } = await import("@tablekeep/journal/tools");
  await using from = await findJournal(flags, io);
  await using to = await openTarget(from.store, flags, io);
  const { toTable: table, toLayout: layout, toJournalName: journalName, toFormat: format } = flags;
  const { toSequenceShards: sequenceShards, toAkka: akka, create } = flags;
  const target = { table, layout, journalName, sequenceShards, akka, format, create };
  const journal = await findTarget(to, target, io.signal);
  const summary = await withProgress(io, { rates: flags, verb: "compared" }, (options) =>
    migrateJournal({
      ...options,
      from: { port: from.port, journal: from.journal },
      to: { port: to.port, journal },
      persistenceId,
      source: flags.source,
      parallel: flags.parallel,
      allowUnreadableByAkka: flags.allowUnreadableByAkka,
    }),
  );
  const { ids, events, written } = summary;
  printDone(
    `Copied ${counted(written, "event")} into ${table}, which now has the same ${counted(events, "event")} of ${counted(ids, "id")}.`,
    { table, ...summary },
  );
}

/** The target of the copy: the same tables, unless others are named. */
async function openTarget(
  from: OpenStore,
  { toData, toEndpoint, toRegion, ...flags }: MigrateFlags,
  io: CommandIo,
): Promise<OpenStore> {
  if (toData === undefined && toEndpoint === undefined && toRegion === undefined)
    return { ...from, [Symbol.asyncDispose]: async () => {} };
  const { endpoint: _endpoint, region: _region, data: _data, ...rest } = flags;
  const place = {
    ...rest,
    ...(toData !== undefined && { data: toData }),
    ...(toEndpoint !== undefined && { endpoint: toEndpoint }),
    ...(toRegion !== undefined && { region: toRegion }),
  };
  return openStore(place, io, { canCreate: true });
}
