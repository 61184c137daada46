import type { TableSpec } from "../src/tables/table-spec.ts";

/** A table with everything that a specification can say, and names that need quoting everywhere. */
export function fullTable(name: string): TableSpec {
  return {
    name,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "num", type: "N" },
    localIndexes: [{ name: "by-time", sortKey: { name: "ts", type: "N" }, projection: ["pid", "it's"] }],
    globalIndexes: [
      { name: "by-tag", partitionKey: { name: "tag", type: "S" }, sortKey: { name: "ts", type: "N" } },
      {
        name: "by-writer",
        partitionKey: { name: "writer", type: "B" },
        projection: "KEYS_ONLY",
        capacity: { readUnits: 3, writeUnits: 4 },
      },
    ],
    billing: { readUnits: 5, writeUnits: 6 },
    ttlAttribute: 'expires "at"',
    stream: "NEW_AND_OLD_IMAGES",
    deletionProtection: false,
    tableClass: "STANDARD_INFREQUENT_ACCESS",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of Terraform, if it is not escaped
    tags: { team: "o'brien & co", cost: '100% of ${half} \\ "all"' },
  };
}

/** The least that a specification can say. */
export function bareTable(name: string): TableSpec {
  return { name, partitionKey: { name: "id", type: "S" } };
}
