import type { CallOptions, DynamoPort, TableDescription } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";

/** The error for a table whose keys are not those of the layout; undefined if they are, or cannot be read. */
export async function wrongTable(
  { port, table, layout }: JournalContext,
  cause: unknown,
  call: CallOptions,
): Promise<JournalError | undefined> {
  const keys = await otherKeys(port, table, layout.keyNames, call);
  if (keys === undefined) return undefined;
  const { stored, needed } = keys;
  const fitting = layoutBy(stored);
  return new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `table ${table} has the key ${stored.join(" and ")}, and the ${layout.name} layout needs ${needed.join(" and ")}: ${adviceFor(fitting, stored)}`,
    { setting: "layout", stored: fitting ?? stored.join(" and "), given: layout.name },
    { cause },
  );
}

/** The key of a table, and the one that is needed. */
export interface OtherKeys {
  readonly stored: readonly string[];
  readonly needed: readonly string[];
}

/** Returns the key of a table that is not a string and a number of these names; undefined if it is, or cannot be read. */
export async function otherKeys(
  port: DynamoPort,
  TableName: string,
  names: readonly string[],
  call: CallOptions,
): Promise<OtherKeys | undefined> {
  const description = await port.describeTable({ TableName }, call).catch(() => undefined);
  if (description?.Table === undefined) return undefined;
  const stored = keysOf(description.Table);
  const needed = names.map((name, at) => `${name} (${at === 0 ? "S" : "N"})`);
  return stored.join() === needed.join() ? undefined : { stored, needed };
}

const akka2Key = "pid (S),seq_nr (N)";

function adviceFor(fitting: LayoutName | undefined, stored: readonly string[]): string {
  if (stored.join() === akka2Key)
    return "it is a table of Akka Persistence DynamoDB 2.x, which cannot be read (use another table)";
  if (fitting === undefined) return "use another table";
  const [persistenceId, sequenceNr] = stored.map((key) => key.slice(0, key.lastIndexOf(" ")));
  const isRenamed = fitting === "linear" && (persistenceId !== "pid" || sequenceNr !== "seq");
  const names = isRenamed ? ` and keyNames ${JSON.stringify({ persistenceId, sequenceNr })}` : "";
  return `open it with layout "${fitting}"${names}, or use another table`;
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
  if (partition === "par (S)" && sort === "num (N)") return "packed";
  return `${partition},${sort}` === akka2Key ? undefined : "linear";
}
