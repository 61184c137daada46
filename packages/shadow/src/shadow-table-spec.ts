import type { TableSpec } from "@tablekeep/client";
import { expiryAttribute } from "./rows/row-content.ts";

/** The table that shadows need: the original's, and expiry for the memory of deleted versions. */
export function shadowTableSpec(table = "device-shadows"): TableSpec {
  return {
    name: table,
    partitionKey: { name: "PK", type: "S" },
    sortKey: { name: "SK", type: "S" },
    ttlAttribute: expiryAttribute,
  };
}
