import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** `tablekeep tables list` */
export function addTablesListCommand(tables: Command, context: CommandContext): void {
  const command = addCommand(tables, "list", {
    summary: "list the tables",
    description: "Lists the names of all tables.",
    examples: ["npx tablekeep tables list", "npx tablekeep tables list --endpoint http://127.0.0.1:8000"],
  });
  addStoreOptions(command).action((options: StoreOptions) => list(options, context));
}

async function list(options: StoreOptions, { io, print }: CommandContext): Promise<void> {
  await using store = await openStore(options, io);
  const { port } = store;
  const tables: string[] = [];
  let from: string | undefined;
  do {
    const page = await port.listTables({ ExclusiveStartTableName: from }, { signal: io.signal });
    tables.push(...(page.TableNames ?? []));
    from = page.LastEvaluatedTableName;
  } while (from !== undefined);
  print(tables.length === 0 ? "There are no tables." : tables.join("\n"), { tables });
}
