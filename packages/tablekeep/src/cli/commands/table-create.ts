import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import {
  addCreateOption,
  addStoreOptions,
  type CreateOption,
  openStore,
  type StoreOptions,
} from "../store/open-store.ts";
import { parseGlobalIndex, parseKey, parseLocalIndex, type TableFlags } from "../tables/wanted-table.ts";

type CreateOptions = StoreOptions & CreateOption & TableFlags;

/** `tablekeep table create` */
export function addTableCreateCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "create", {
    summary: "create a table",
    description:
      "Creates a table from a file or from options, and waits until it is active. An existing table with the same keys, indexes and expiry is left unchanged.",
    examples: [
      "npx tablekeep table create --table carts --partition-key id --ttl expires",
      "npx tablekeep table create --table orders --partition-key customer --sort-key at:N --global-index byDay=day,at:N",
      "npx tablekeep table create carts.json",
    ],
  })
    .argument("[file]", "JSON file with a CreateTable request, a table description or a dump")
    .option("--table <name>", "table name; overrides the name in the file")
    .option(
      "--partition-key <name[:type]>",
      "partition key; the type is S (string, the default), N (number) or B (binary)",
      parseKey,
    )
    .option("--sort-key <name[:type]>", "sort key", parseKey)
    .option("--global-index <index>", "index=partition[:type][,sort[:type]]; repeatable", parseGlobalIndex)
    .option("--local-index <index>", "index=sort[:type]; repeatable", parseLocalIndex)
    .option("--stream <view>", "enable a stream: KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES")
    .option("--ttl <attribute>", "expire items at the Unix time in this attribute");
  addStoreOptions(addCreateOption(command, "the data folder")).action(
    (file: string | undefined, options: CreateOptions) => create(file, options, context),
  );
}

async function create(
  file: string | undefined,
  options: CreateOptions,
  { io, printDone }: CommandContext,
): Promise<void> {
  const [{ wantedTable }, { makeTable }, { ClientError }] = await Promise.all([
    import("../tables/wanted-table.ts"),
    import("../tables/make-table.ts"),
    import("@tablekeep/client"),
  ]);
  if (file !== undefined && options.partitionKey !== undefined) {
    throw new CliError("CLI_OPTION_CONFLICT", "the file defines the keys: remove --partition-key");
  }
  const wanted = await wantedTable(file, options);
  await using store = await openStore(options, io, { canCreate: true });
  const { port } = store;
  const { created, notes } = await makeTable(port, wanted, io.signal);
  const table = wanted.input.TableName ?? "";
  if (notes.length > 0) {
    const text = `table ${table} already exists and ${notes.join("; ")}: use another name, or delete it first`;
    throw new ClientError("CLIENT_TABLE_MISMATCH", text, { table, differences: notes });
  }
  printDone(created ? `Created ${table}.` : `${table} already exists.`, { table, created });
}
