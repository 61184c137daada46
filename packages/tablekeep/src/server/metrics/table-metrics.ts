import type { TableUse } from "../table-use.ts";
import { type Metric, readMetric, type Sample } from "./metric.ts";

type Counts = ReturnType<TableUse>[string];

/** What the stores asked of their tables. */
export function tableMetrics(use: TableUse): readonly Metric[] {
  const by = (read: (counts: Counts) => number | undefined) => (): Sample[] =>
    Object.entries(use()).flatMap(([table, counts]) => {
      const value = read(counts);
      return value === undefined ? [] : [{ labels: { table }, value }];
    });
  return [
    readMetric(
      "counter",
      "tablekeep_table_requests_total",
      "Requests of the stores to their tables.",
      by(({ requests }) => requests),
    ),
    readMetric(
      "counter",
      "tablekeep_table_failures_total",
      "Requests that ended with an error; a condition that was not met is one.",
      by(({ failures }) => failures),
    ),
    readMetric(
      "counter",
      "tablekeep_table_read_units_total",
      "Read capacity that DynamoDB reported; nothing in a folder.",
      by(({ readUnits }) => readUnits),
    ),
    readMetric(
      "counter",
      "tablekeep_table_write_units_total",
      "Write capacity that DynamoDB reported; nothing in a folder.",
      by(({ writeUnits }) => writeUnits),
    ),
  ];
}
