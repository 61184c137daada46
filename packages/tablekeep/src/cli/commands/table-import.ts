import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import {
  addCreateOption,
  addStoreOptions,
  type CreateOption,
  openStore,
  type StoreOptions,
} from "../store/open-store.ts";

interface ImportOptions extends StoreOptions, CreateOption {
  readonly table?: string;
  /** False after --no-ttl. */
  readonly ttl: boolean;
}

/** `tablekeep table import` */
export function addTableImportCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "import", {
    summary: "store the items of an exported table",
    description:
      "Writes the items of an exported table into it and replaces existing items. Creates a missing table with the keys, indexes, expiry and tags of the export.",
    examples: [
      "npx tablekeep table import carts.json",
      "npx tablekeep table import carts.json --table carts-copy --endpoint http://127.0.0.1:8000",
    ],
  })
    .argument("<file>", "file that table export has written")
    .option("--table <name>", "import into this table instead")
    .option("--no-ttl", "create the table without expiry, so that expired items are kept");
  addStoreOptions(addCreateOption(command, "the data folder")).action(
    (file: string, options: ImportOptions) => importTable(file, options, context),
  );
}

async function importTable(
  file: string,
  options: ImportOptions,
  { io, printDone }: CommandContext,
): Promise<void> {
  const [{ DumpFile }, { createInputOf }, { makeTable }, { loadItems }] = await Promise.all([
    import("../tables/dump-file.ts"),
    import("../tables/wanted-table.ts"),
    import("../tables/make-table.ts"),
    import("../tables/dump-items.ts"),
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
      const part = dump.bytes === 0 ? undefined : dump.bytesRead / dump.bytes;
      progress.show(() => ({ verb: "imported", done: items, unit: "items", part }));
    }
  } catch (error) {
    progress.clear();
    printDone(
      `Stopped after importing ${counted(items, "item")} into ${table}. Importing the file again is safe.`,
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
  printDone(`Imported ${counted(items, "item")} into ${table}${how}.`, {
    table,
    items,
    created,
    complete: true,
    notes,
  });
}
