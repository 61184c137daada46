import { type DynamoPort, isDynamoError, wrapPort } from "@tablekeep/core";
import { JournalError } from "../errors/journal-error.ts";
import { type OtherKeys, otherKeys } from "../settings/wrong-table.ts";
import type { SnapshotKeys } from "./snapshot-keys.ts";

/**
 * Returns a port that rejects with `JOURNAL_SETTINGS_DIFFER` what DynamoDB rejects because the table is not one for snapshots. The key of
 * the table is read only then.
 */
export function explainingPort(port: DynamoPort, table: string, { names }: SnapshotKeys): DynamoPort {
  return wrapPort(port, async (operation, input, options, next) => {
    try {
      return await next(operation, input, options);
    } catch (error) {
      if (!isDynamoError(error, "ValidationException")) throw error;
      const keys = await otherKeys(port, table, names, options);
      throw keys === undefined ? error : wrongSnapshotTable(table, keys, error);
    }
  });
}

function wrongSnapshotTable(table: string, { stored, needed }: OtherKeys, cause: unknown): JournalError {
  const [has, needs] = [stored.join(" and "), needed.join(" and ")];
  return new JournalError(
    "JOURNAL_SETTINGS_DIFFER",
    `table ${table} has the key ${has}, and snapshots need ${needs}: use another table, or pass the journal in option journal if its snapshots are stored beside its events`,
    { setting: "table", stored: has, given: needs },
    { cause },
  );
}
