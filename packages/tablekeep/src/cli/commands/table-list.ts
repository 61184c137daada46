import { type Command, Option } from "commander";
import { wireItem } from "../../json/dynamodb-json.ts";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { addStoreOptions, openStore, requireTable, type StoreOptions } from "../store/open-store.ts";

interface ListFlags extends StoreOptions {
  readonly partition?: string;
  readonly limit?: number;
}

/** `tablekeep table list` */
export function addTableListCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "list", {
    summary: "list tables, or the items of one",
    description:
      "Lists the names of all tables. With a name, prints items of that table, each as one line of DynamoDB's JSON.",
    examples: [
      "npx tablekeep table list",
      "npx tablekeep table list carts --limit 5",
      "npx tablekeep table list orders --partition customer-7",
      "npx tablekeep table list --endpoint http://127.0.0.1:8000",
    ],
  })
    .argument("[name]", "table whose items to print")
    .addOption(
      new Option("--partition <value>", "only items with this value of the partition key, by the sort key"),
    )
    .option(
      "--limit <number>",
      "maximum number of items, or of tables (default: 50 items, all tables)",
      parseInteger(1),
    );
  addStoreOptions(command).action((name: string | undefined, flags: ListFlags) =>
    name === undefined ? listTables(flags, context) : listItems(name, flags, context),
  );
}

async function listTables(flags: ListFlags, { io, print, printNote }: CommandContext): Promise<void> {
  if (flags.partition !== undefined)
    throw new CliError("CLI_ARGUMENT_MISSING", "--partition needs the name of a table");
  await using store = await openStore(flags, io);
  const { port } = store;
  const { limit = Number.POSITIVE_INFINITY } = flags;
  const tables: string[] = [];
  let from: string | undefined;
  do {
    const page = await port.listTables({ ExclusiveStartTableName: from }, { signal: io.signal });
    tables.push(...(page.TableNames ?? []).slice(0, limit - tables.length));
    from = page.LastEvaluatedTableName;
  } while (from !== undefined && tables.length < limit);
  if (tables.length === 0) printNote("There are no tables.");
  print(tables.join("\n"), { tables });
}

/** The number of items that are printed without `--limit`. */
const usualItems = 50;

/** The number of items of one request to the table. */
const pageItems = 250;

async function listItems(
  table: string,
  flags: ListFlags,
  { io, printRow, printIfNone }: CommandContext,
): Promise<void> {
  const [{ itemsInput }, { readItems }, { checked, factsOf }] = await Promise.all([
    import("../../server/tables/items-request.ts"),
    import("../../server/tables/items-page.ts"),
    import("../tables/item-arguments.ts"),
  ]);
  const { signal } = io;
  await using store = await openStore(flags, io);
  await requireTable(store, table);
  const facts = await factsOf(store.port, table, signal);
  let left = flags.limit ?? usualItems;
  let cursor: string | undefined;
  do {
    const limit = Math.min(left, pageItems);
    const request = { partition: flags.partition, filters: [], limit, consistent: true, descending: false };
    const asked = checked(() => itemsInput(facts, request));
    const page = await readItems(store.port, asked, { limit, cursor, signal });
    for (const item of page.items) {
      const shown = wireItem(item);
      await printRow(
        () => printable(JSON.stringify(shown)),
        () => shown,
      );
    }
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
  printIfNone(`No items in ${table}.`);
}
