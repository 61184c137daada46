import type { TableDescription } from "@tablekeep/core";
import type { Command } from "commander";
import { wireItem } from "../../json/dynamodb-json.ts";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import {
  addStoreOptions,
  type OpenStore,
  openStore,
  requireTable,
  type StoreOptions,
} from "../store/open-store.ts";
import type { TableFinding, TableVerification } from "../tables/verify-table.ts";

/** `tablekeep table verify` */
export function addTableVerifyCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "verify", {
    summary: "check items against keys, limits and indexes",
    description:
      "Reads all tables, or one, with their indexes. Checks keys and sizes of items, compares every item with its entries in the indexes, and prints every finding. Changes nothing. Exits with 9 if there are errors.",
    examples: [
      "npx tablekeep table verify",
      "npx tablekeep table verify carts --json",
      "npx tablekeep table verify carts --region eu-west-1",
    ],
  }).argument("[name]", "only this table");
  addStoreOptions(command).action((name: string | undefined, options: StoreOptions) =>
    verify(name, options, context),
  );
}

async function verify(
  only: string | undefined,
  options: StoreOptions,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { verifyTable } = await import("../tables/verify-table.ts");
  const { signal } = io;
  await using store = await openStore(options, io);
  const { port, isExclusive } = store;
  if (only !== undefined) await requireTable(store, only);
  const summary = { tables: 0, items: 0, bytes: 0, entries: 0, error: 0, info: 0 };
  const progress = new Progress(io.stderr);
  try {
    for (const TableName of only === undefined ? await tablesOf(store, signal) : [only]) {
      const { Table = {} } = await port.describeTable({ TableName }, { signal });
      const before = summary.items + summary.entries;
      const total = expectedReads(Table);
      const result = await verifyTable(port, Table, {
        isExclusive,
        signal,
        onProgress: (read) =>
          progress.show(() => ({
            verb: "read",
            done: before + read,
            unit: `items and entries, ${TableName}`,
            ...(total > 0 && { part: Math.min(1, read / total) }),
          })),
        onFinding: (finding) =>
          printNext(
            () => findingText(TableName, finding),
            () => findingJson(TableName, finding),
          ),
      });
      add(summary, result);
    }
  } finally {
    progress.clear();
  }
  const { tables, items, entries, error, info } = summary;
  const read = `${counted(items, "item")} of ${counted(tables, "table")} and ${entriesText(entries)}`;
  print(`Read ${read}: ${counted(error, "error")}, ${counted(info, "note")}.`, { summary });
  if (error > 0)
    throw new CliError("CLI_TABLE_DAMAGED", `${counted(error, "error")}: the lines above say what to do`);
}

async function tablesOf({ port }: OpenStore, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  let from: string | undefined;
  do {
    const page = await port.listTables({ ExclusiveStartTableName: from }, { signal });
    names.push(...(page.TableNames ?? []));
    from = page.LastEvaluatedTableName;
  } while (from !== undefined);
  return names;
}

/** An estimate: on AWS the counts are up to six hours old. */
function expectedReads({
  ItemCount = 0,
  GlobalSecondaryIndexes,
  LocalSecondaryIndexes,
}: TableDescription): number {
  const indexes = [...(GlobalSecondaryIndexes ?? []), ...(LocalSecondaryIndexes ?? [])];
  return indexes.reduce((sum, index) => sum + (index.ItemCount ?? 0), ItemCount);
}

interface Sum {
  tables: number;
  items: number;
  bytes: number;
  entries: number;
  error: number;
  info: number;
}

function add(sum: Sum, { items, bytes, entries, error, info }: TableVerification): void {
  sum.tables++;
  sum.items += items;
  sum.bytes += bytes;
  sum.entries += entries;
  sum.error += error;
  sum.info += info;
}

function entriesText(entries: number): string {
  return `${entries.toLocaleString("en-US")} index ${entries === 1 ? "entry" : "entries"}`;
}

function findingText(table: string, { kind, severity, index, key, message }: TableFinding): string {
  const item = key === undefined ? "" : ` ${JSON.stringify(wireItem(key))}`;
  const where = `${table}${index === undefined ? "" : `, index ${index}`}`;
  return printable(`${severity.padEnd(6)}${kind.padEnd(14)} ${where}:${item} ${message}`);
}

function findingJson(table: string, { kind, severity, index, key, message }: TableFinding): object {
  return { kind, severity, table, index, key: key && wireItem(key), message };
}
