import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import type { CommandContext } from "../command-context.ts";
import { addTablesCreateCommand } from "./tables-create.ts";
import { addTablesDescribeCommand } from "./tables-describe.ts";
import { addTablesDumpCommand } from "./tables-dump.ts";
import { addTablesListCommand } from "./tables-list.ts";
import { addTablesLoadCommand } from "./tables-load.ts";

/** `tablekeep tables …`: looks at tables and moves them between a folder, any endpoint and AWS. */
export function addTablesCommand(program: Command, context: CommandContext): void {
  const tables = addCommand(program, "tables", {
    summary: "list, describe, create, dump and load tables",
    description: "Looks at tables and moves them between a folder, any DynamoDB endpoint and AWS.",
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
