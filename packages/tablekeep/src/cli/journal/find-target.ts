import { type DynamoPort, isDynamoError } from "@tablekeep/core";
import type { JournalOptions, RowFormat } from "@tablekeep/journal";
import { type JournalName, journalIn } from "./find-journal.ts";

/** A journal that is written into. */
export interface TargetFlags extends JournalName {
  readonly create?: true | undefined;
  readonly format?: RowFormat | undefined;
}

/** The journal to write into; its table is created first if it is not there and that is wanted. */
export async function findTarget(
  port: DynamoPort,
  { create, format, ...name }: TargetFlags,
  signal: AbortSignal,
): Promise<JournalOptions> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  if (create && !(await isThere(port, name.table, signal))) {
    const { ensureTable } = await import("@tablekeep/client");
    const { table, layout } = name;
    await ensureTable(port, journalTableSpec({ table, layout }), { signal });
  }
  return { ...(await journalIn(port, name, signal)), format };
}

async function isThere(port: DynamoPort, TableName: string, signal: AbortSignal): Promise<boolean> {
  try {
    await port.describeTable({ TableName }, { signal });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return false;
    throw error;
  }
}
