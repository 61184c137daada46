import type { TableSpec } from "@tablekeep/client";
import { type MailOptions, resolveMailOptions } from "./mail-options.ts";

/** The table that a mail store with these options needs: for `ensureTable`, `checkTable` and the printers of templates. */
export function mailTableSpec(options: MailOptions = {}): TableSpec {
  const { table, layout } = resolveMailOptions(options);
  if (layout === "mhdynamo")
    return {
      name: table,
      partitionKey: { name: "CreatedDate", type: "S" },
      sortKey: { name: "ID", type: "S" },
      ttlAttribute: "Expires",
    };
  return {
    name: table,
    partitionKey: { name: "pk", type: "S" },
    sortKey: { name: "sk", type: "S" },
    ttlAttribute: "expires",
  };
}
