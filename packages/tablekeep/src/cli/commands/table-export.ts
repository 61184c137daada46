import { resolve } from "node:path";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import { fileOutput, streamOutput } from "../frame/text-output.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";

interface ExportOptions extends StoreOptions {
  readonly output?: string;
}

/** `tablekeep table export` */
export function addTableExportCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "export", {
    summary: "write a table to JSON",
    description:
      'Writes a table as one JSON document, { "TableDescription": …, "Items": [ … ] }, in DynamoDB\'s JSON, with its expiry and tags. The file is written completely or not at all.',
    examples: [
      "npx tablekeep table export carts -o carts.json",
      "npx tablekeep table export carts --region eu-west-1 -o carts.json",
    ],
  })
    .argument("<name>", "table name")
    .option("-o, --output <file>", "output file (default: stdout)");
  addStoreOptions(command).action((name: string, options: ExportOptions) =>
    exportTable(name, options, context),
  );
}

async function exportTable(
  TableName: string,
  options: ExportOptions,
  { io, printDone }: CommandContext,
): Promise<void> {
  const [{ dumpTable }, { readSettings }] = await Promise.all([
    import("../tables/dump-items.ts"),
    import("../tables/table-settings.ts"),
  ]);
  await using store = await openStore(options, io);
  const { port } = store;
  await requireTable(store, TableName);
  const { Table = {} } = await port.describeTable({ TableName }, { signal: io.signal });
  const settings = await readSettings(port, Table, io.signal);
  const { output } = options;
  const target = output === undefined ? streamOutput(io.stdout) : await fileOutput(resolve(output));
  const progress = new Progress(io.stderr);
  let items = 0;
  const onItems = (count: number) => {
    items += count;
    // An estimate, which DynamoDB updates every six hours.
    progress.show(() => ({ verb: "wrote", done: items, total: Table.ItemCount || undefined, unit: "items" }));
  };
  try {
    const dumped = { settings, onItems, signal: io.signal };
    for await (const text of dumpTable(port, Table, dumped)) await target.write(text);
    await target.finish();
  } catch (error) {
    await target.discard();
    throw error;
  } finally {
    progress.clear();
  }
  if (output === undefined) return;
  printDone(`Wrote ${counted(items, "item")} of ${TableName} to ${output}.`, {
    table: TableName,
    items,
    output,
  });
}
