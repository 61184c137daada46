import type { CallOptions, TableDescription } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";

/** The error for a table whose keys are not those of the layout; undefined if they are, or cannot be read. */
export async function wrongTable(
  { port, table, layout }: JournalContext,
  cause: unknown,
  call: CallOptions,
): Promise<JournalError | undefined> {
  const description = await port.describeTable({ TableName: table }, call).catch(() => undefined);
  const stored = description?.Table && keysOf(description.Table);
  if (stored === undefined) return undefined;
  const needed = layout.keyNames.map((name, at) => `${name} (${at === 0 ? "S" : "N"})`);
  if (stored.join() === needed.join()) return undefined;
  const fitting = layoutBy(stored);
  const advice =
    fitting === undefined ? "use another table" : `open it with layout "${fitting}", or use another table`;
  return new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `table ${table} has the key ${stored.join(" and ")}, and the ${layout.name} layout needs ${needed.join(" and ")}: ${advice}`,
    { setting: "layout", stored: fitting ?? stored.join(" and "), given: layout.name },
    { cause },
  );
}

/** The key attributes with their types. */
function keysOf({ KeySchema = [], AttributeDefinitions = [] }: TableDescription): string[] {
  const types = new Map(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  return KeySchema.map(({ AttributeName = "" }) => `${AttributeName} (${types.get(AttributeName)})`);
}

/** The layout that a table with these keys may have been created for. */
function layoutBy([partition = "", sort]: readonly string[]): LayoutName | undefined {
  if (sort === undefined) return partition === "key (S)" ? "scattered" : undefined;
  if (!partition.endsWith(" (S)") || !sort.endsWith(" (N)")) return undefined;
  return partition === "par (S)" && sort === "num (N)" ? "packed" : "linear";
}
