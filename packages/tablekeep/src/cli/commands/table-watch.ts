import { type StreamViewType, systemClock } from "@tablekeep/core";
import type { ChangeRecord } from "@tablekeep/feed";
import { type Command, Option } from "commander";
import { wireItem } from "../../json/dynamodb-json.ts";
import { recordTime } from "../../stream/record-times.ts";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable, runUntilStopped } from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";

interface WatchFlags extends StoreOptions {
  readonly from: "start" | "end";
  readonly stream?: Exclude<StreamViewType, "OLD_IMAGE">;
}

/** `tablekeep table watch` */
export function addTableWatchCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "watch", {
    summary: "print item changes as they happen",
    description:
      "Prints the changes to a table's items, from its stream, until Ctrl+C: what was done, the key, and the item after it if the stream has it. A stream keeps changes for 24 hours.",
    examples: [
      "npx tablekeep table watch carts",
      "npx tablekeep table watch carts --from start --json",
      "npx tablekeep table watch carts --stream NEW_AND_OLD_IMAGES",
    ],
  })
    .argument("<name>", "table name")
    .addOption(
      new Option("--from <place>", "the oldest change of the stream, or those made from now on")
        .choices(["start", "end"])
        .default("end"),
    )
    .addOption(
      new Option("--stream <view>", "enable a stream if the table has none").choices([
        "KEYS_ONLY",
        "NEW_IMAGE",
        "NEW_AND_OLD_IMAGES",
      ]),
    );
  addStoreOptions(command).action((name: string, flags: WatchFlags) => watch(name, flags, context));
}

async function watch(tableName: string, flags: WatchFlags, context: CommandContext): Promise<void> {
  const { io } = context;
  await runUntilStopped(io.signal, async () => {
    await using store = await openStore(flags, io);
    await requireTable(store, tableName);
    requireServed(store.isExclusive, `table list ${printable(tableName)}`);
    const { ensureStream, isFeedError, openStreamSource } = await import("@tablekeep/feed");
    if (flags.stream !== undefined) await ensureStream(store.port, tableName, flags.stream);
    const source = await openStreamSource(store.port, { tableName }).catch((error: unknown) => {
      if (!isFeedError(error, "FEED_STREAM_MISSING")) throw error;
      throw new CliError(
        "CLI_OPTION_MISSING",
        `table ${tableName} has no stream: enable one with --stream NEW_AND_OLD_IMAGES`,
        error,
      );
    });
    const since = flags.from === "start" ? 0 : recordTime(source.arn, systemClock.now());
    for await (const { records } of source.read(new Map(), { signal: io.signal })) {
      for (const record of records) if (record.createdAt >= since) await printChange(record, context);
    }
  });
}

function printChange(record: ChangeRecord, { printRow }: CommandContext): Promise<void> {
  const { kind, keys, image, before, createdAt } = record;
  const shown = {
    kind,
    at: new Date(createdAt).toISOString(),
    key: wireItem(keys),
    ...(image && { item: wireItem(image) }),
    ...(before && { before: wireItem(before) }),
  };
  return printRow(
    () => printable(`${kind.padEnd(6)}  ${shown.at}  ${JSON.stringify(shown.item ?? shown.key)}`),
    () => shown,
  );
}
