import { asking, telling, type WrongPort, withoutExpression } from "./wrong-port.ts";

/** Ports that are wrong in Scan and ListTables. */
export const wrongScans: readonly WrongPort[] = [
  {
    name: "scans the whole table in every segment",
    area: "Scan in",
    wrap: asking("Scan", ({ Segment: _, TotalSegments: __, ...rest }) => rest),
  },
  {
    name: "forgets LastEvaluatedKey of a scan",
    area: "Scan with Limit",
    wrap: telling("Scan", ({ LastEvaluatedKey: _, ...rest }) => rest),
  },
  {
    name: "ignores the filter of a scan",
    area: "Scan filters",
    wrap: asking("Scan", (input) => withoutExpression(input, "FilterExpression")),
  },
  {
    name: "ignores the legacy ScanFilter",
    area: "Scan by ScanFilter",
    wrap: asking("Scan", ({ ScanFilter: _, ConditionalOperator: __, ...rest }) => rest),
  },
  {
    name: "gives one item of a scan twice",
    area: "Scan gives every item once",
    wrap: telling("Scan", (output) => ({
      ...output,
      Items: [...(output.Items ?? []), ...(output.Items ?? []).slice(0, 1)],
    })),
  },
  {
    name: "lists all tables on one page",
    area: "ListTables",
    wrap: asking("ListTables", ({ Limit, ...rest }) =>
      Limit !== undefined && Limit > 0 && Limit <= 100 ? rest : { ...rest, Limit },
    ),
  },
  {
    name: "forgets LastEvaluatedTableName",
    area: "ListTables",
    wrap: telling("ListTables", ({ LastEvaluatedTableName: _, ...rest }) => rest),
  },
];
