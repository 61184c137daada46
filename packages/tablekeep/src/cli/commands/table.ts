import type { Command } from "commander";
import { wireDescription, wireItem } from "../../json/dynamodb-json.ts";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";
import { addTableCreateCommand } from "./table-create.ts";
import { addTableExportCommand } from "./table-export.ts";
import { addTableImportCommand } from "./table-import.ts";
import { addTableDeleteCommand, addTablePutCommand, readItem } from "./table-items.ts";
import { addTableListCommand } from "./table-list.ts";
import { addTableVerifyCommand } from "./table-verify.ts";
import { addTableWaitCommand } from "./table-wait.ts";
import { addTableWatchCommand } from "./table-watch.ts";

/** `tablekeep table get` */
function addTableGetCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "get", {
    summary: "print the description of a table, or an item",
    description:
      "Prints DynamoDB's description of a table: keys, indexes, status, counts. With a key, in plain JSON or DynamoDB's JSON, prints the item in DynamoDB's JSON.",
    examples: [
      "npx tablekeep table get carts",
      `npx tablekeep table get carts '{"id":"1"}'`,
      "npx tablekeep table get carts --region eu-west-1",
    ],
  })
    .argument("<name>", "table name")
    .argument("[key]", "key of an item in JSON; - reads it from stdin");
  addStoreOptions(command).action((name: string, key: string | undefined, options: StoreOptions) =>
    get(name, key, options, context),
  );
}

async function get(
  TableName: string,
  key: string | undefined,
  options: StoreOptions,
  { io, print }: CommandContext,
): Promise<void> {
  await using store = await openStore(options, io);
  const { port } = store;
  await requireTable(store, TableName);
  if (key !== undefined) {
    const item = wireItem(await readItem(store, TableName, key, io));
    return print(JSON.stringify(item), item);
  }
  const { Table } = await port.describeTable({ TableName }, { signal: io.signal });
  const description = wireDescription(Table) as object;
  print(JSON.stringify(description, null, 2), description);
}

/** `tablekeep table …`: reads and changes tables, and copies them between a folder, any endpoint and AWS. */
export function addTableCommand(program: Command, context: CommandContext): void {
  const table = addCommand(program, "table", {
    summary: "read, change, export and import tables",
    description:
      "Reads and changes tables and their items, and copies tables between a folder, any DynamoDB endpoint and AWS.",
    examples: [
      "npx tablekeep table list",
      `npx tablekeep table put carts '{"id":"1","total":5}'`,
      "npx tablekeep table export carts --region eu-west-1 --output carts.json",
    ],
  });
  addTableListCommand(table, context);
  addTableGetCommand(table, context);
  addTableCreateCommand(table, context);
  addTablePutCommand(table, context);
  addTableDeleteCommand(table, context);
  addTableWatchCommand(table, context);
  addTableWaitCommand(table, context);
  addTableExportCommand(table, context);
  addTableImportCommand(table, context);
  addTableVerifyCommand(table, context);
}
