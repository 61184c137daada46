import type { Command } from "commander";
import { wireDescription } from "../../dynamodb-json/wire-description.ts";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import { requireTable } from "../tables/provide-table.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** `tablekeep tables describe` */
export function addTablesDescribeCommand(tables: Command, context: CommandContext): void {
  const command = addCommand(tables, "describe", {
    summary: "show one table",
    description: "Shows a table as DynamoDB describes it: keys, indexes, state, counts.",
    examples: [
      "npx tablekeep tables describe carts",
      "npx tablekeep tables describe carts --region eu-west-1",
    ],
  }).argument("<name>", "the table");
  addStoreOptions(command).action((name: string, options: StoreOptions) => describe(name, options, context));
}

async function describe(
  TableName: string,
  options: StoreOptions,
  { io, print }: CommandContext,
): Promise<void> {
  await using store = await openStore(options, io);
  const { port } = store;
  await requireTable(store, TableName);
  const { Table } = await port.describeTable({ TableName }, { signal: io.signal });
  const description = wireDescription(Table) as object;
  print(JSON.stringify(description, null, 2), description);
}
