import type { Command } from "commander";
import { wireDescription } from "../../json/dynamodb-json.ts";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";
import { addTablesCreateCommand } from "./tables-create.ts";
import { addTablesDumpCommand } from "./tables-dump.ts";
import { addTablesLoadCommand } from "./tables-load.ts";

/** `tablekeep tables list` */
export function addTablesListCommand(tables: Command, context: CommandContext): void {
  const command = addCommand(tables, "list", {
    summary: "list tables",
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

/** `tablekeep tables describe` */
export function addTablesDescribeCommand(tables: Command, context: CommandContext): void {
  const command = addCommand(tables, "describe", {
    summary: "describe a table",
    description: "Prints DynamoDB's description of a table: keys, indexes, status, counts.",
    examples: [
      "npx tablekeep tables describe carts",
      "npx tablekeep tables describe carts --region eu-west-1",
    ],
  }).argument("<name>", "table name");
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

/** `tablekeep tables …`: reads tables and copies them between a folder, any endpoint and AWS. */
export function addTablesCommand(program: Command, context: CommandContext): void {
  const tables = addCommand(program, "tables", {
    summary: "list, describe, create, dump and load tables",
    description: "Inspects tables and copies them between a folder, any DynamoDB endpoint and AWS.",
    examples: [
      "npx tablekeep tables list",
      "npx tablekeep tables dump carts --region eu-west-1 --output carts.json",
    ],
  });
  addTablesListCommand(tables, context);
  addTablesDescribeCommand(tables, context);
  addTablesCreateCommand(tables, context);
  addTablesDumpCommand(tables, context);
  addTablesLoadCommand(tables, context);
}
