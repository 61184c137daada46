import type { TableDescription } from "@tablekeep/core";
import type { TableRecord } from "./table-model.ts";

/** A table as DescribeTable shows it. */
export function describeTable(record: TableRecord): TableDescription {
  const { CreationDateTime, ...description } = record.description;
  return { ...description, CreationDateTime: new Date(CreationDateTime), ItemCount: 0, TableSizeBytes: 0 };
}
