import type { TableSpec } from "@tablekeep/client";
import { type JournalOptions, resolveJournalOptions } from "./journal-options.ts";

/** The table that a journal with these options needs: for `ensureTable`, `checkTable` and the printers of templates. */
export function journalTableSpec(options: JournalOptions = {}): TableSpec {
  const { table, layout, keyNames } = resolveJournalOptions(options);
  // Tombstones and commit records of deleted events go by themselves.
  const common = { name: table, ttlAttribute: "ttl" };
  switch (layout) {
    case "bucketed":
      return { ...common, partitionKey: { name: "par", type: "S" }, sortKey: { name: "num", type: "N" } };
    case "linear":
      return {
        ...common,
        partitionKey: { name: keyNames.persistenceId, type: "S" },
        sortKey: { name: keyNames.sequenceNr, type: "N" },
      };
    case "scattered":
      return { ...common, partitionKey: { name: "key", type: "S" } };
  }
}
