import type { TableDescription } from "@tablekeep/core";
import { readCounts } from "./counts.ts";
import { withDates } from "./stored-description.ts";
import type { TableRecord } from "./table-model.ts";

interface Reader {
  get(key: string): string | undefined;
}

/** A table as DescribeTable shows it, with the counts that `reader` finds. */
export function describeTable(reader: Reader, record: TableRecord): TableDescription {
  const description = withDates<TableDescription>(record.description);
  const countOf = readCounts(reader, record.id);
  const size = (index: { IndexName?: string | undefined }) => {
    const { items, bytes } = countOf(record.indexIds[index.IndexName ?? ""] ?? "");
    return { IndexSizeBytes: bytes, ItemCount: items };
  };
  const own = countOf(record.id);
  return {
    ...description,
    ItemCount: own.items,
    TableSizeBytes: own.bytes,
    LocalSecondaryIndexes: description.LocalSecondaryIndexes?.map((each) => ({ ...each, ...size(each) })),
    GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((each) => ({ ...each, ...size(each) })),
  };
}
