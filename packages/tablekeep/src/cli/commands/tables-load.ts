import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { grouped, Progress } from "../frame/progress.ts";
import {
  addCreateOption,
  addStoreOptions,
  type CreateOption,
  openStore,
  type StoreOptions,
} from "../store/open-store.ts";

interface LoadOptions extends StoreOptions, CreateOption {
  readonly table?: string;
  /** False after --no-ttl. */
  readonly ttl: boolean;
}

/** `tablekeep tables load` */
export function addTablesLoadCommand(tables: Command, context: CommandContext): void {
  const command = addCommand(tables, "load", {
    summary: "load a dump into a table",
    description:
      "Writes the items of a dump into its table and replaces existing items. Creates a missing table with the dump's keys, indexes, expiry and tags.",
    examples: [
      "npx tablekeep tables load carts.json",
      "npx tablekeep tables load carts.json --table carts-copy --endpoint http://127.0.0.1:8000",
    ],
  })
    .argument("<file>", "dump file")
    .option("--table <name>", "load into this table instead")
    .option("--no-ttl", "create the table without expiry, so that expired items are kept");
  addStoreOptions(addCreateOption(command, "the data folder")).action((file: string, options: LoadOptions) =>
    load(file, options, context),
  );
}

async function load(file: string, options: LoadOptions, { io, print }: CommandContext): Promise<void> {
  const [{ DumpFile }, { createInputOf }, { makeTable }, { loadItems }] = await Promise.all([
    import("../tables/dump-file.ts"),
    import("../tables/wanted-table.ts"),
    import("../tables/make-table.ts"),
    import("../tables/table-items.ts"),
  ]);
  const { signal } = io;
  const dump = await DumpFile.open(file, signal);
  await using store = await openStore(options, io, { canCreate: true });
  const { port } = store;
  const input = createInputOf(dump.description, dump.settings, options.table);
  const wanted = options.ttl ? { input, ttlAttribute: dump.settings.ttlAttribute } : { input };
  const { created, description, notes } = await makeTable(port, wanted, signal);
  const table = description.TableName ?? "";
  const progress = new Progress(io.stderr);
  let items = 0;
  try {
    for await (items of loadItems(port, description, dump.items(signal), signal)) {
      const percent = Math.floor((100 * dump.bytesRead) / dump.bytes);
      progress.show(() => `loaded ${grouped(items)} items, ${percent} % of the file`);
    }
  } catch (error) {
    progress.clear();
    print(
      `Stopped after ${grouped(items)} items were loaded into ${table}. To load the file again does no harm.`,
      {
        table,
        items,
        created,
        complete: false,
      },
    );
    throw error;
  }
  progress.clear();
  const how = created ? ", newly created" : notes.map((note) => `; note: ${note}`).join("");
  print(`Loaded ${grouped(items)} items into ${table}${how}.`, {
    table,
    items,
    created,
    complete: true,
    notes,
  });
}
