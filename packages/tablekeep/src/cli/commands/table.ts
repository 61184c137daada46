import type { Command } from "commander";
import { wireDescription } from "../../json/dynamodb-json.ts";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";
import { addTableCreateCommand } from "./table-create.ts";
import { addTableExportCommand } from "./table-export.ts";
import { addTableImportCommand } from "./table-import.ts";

/** `tablekeep table list` */
export function addTableListCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "list", {
    summary: "list tables",
    description: "Lists the names of all tables.",
    examples: ["npx tablekeep table list", "npx tablekeep table list --endpoint http://127.0.0.1:8000"],
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

/** `tablekeep table get` */
export function addTableGetCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "get", {
    summary: "print the description of a table",
    description: "Prints DynamoDB's description of a table: keys, indexes, status, counts.",
    examples: ["npx tablekeep table get carts", "npx tablekeep table get carts --region eu-west-1"],
  }).argument("<name>", "table name");
  addStoreOptions(command).action((name: string, options: StoreOptions) => get(name, options, context));
}

async function get(TableName: string, options: StoreOptions, { io, print }: CommandContext): Promise<void> {
  await using store = await openStore(options, io);
  const { port } = store;
  await requireTable(store, TableName);
  const { Table } = await port.describeTable({ TableName }, { signal: io.signal });
  const description = wireDescription(Table) as object;
  print(JSON.stringify(description, null, 2), description);
}

/** `tablekeep table …`: reads tables and copies them between a folder, any endpoint and AWS. */
export function addTableCommand(program: Command, context: CommandContext): void {
  const table = addCommand(program, "table", {
    summary: "list, create, export and import tables",
    description: "Inspects tables and copies them between a folder, any DynamoDB endpoint and AWS.",
    examples: [
      "npx tablekeep table list",
      "npx tablekeep table export carts --region eu-west-1 --output carts.json",
    ],
  });
  addTableListCommand(table, context);
  addTableGetCommand(table, context);
  addTableCreateCommand(table, context);
  addTableExportCommand(table, context);
  addTableImportCommand(table, context);
}
