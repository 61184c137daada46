import { changingInput, changingOutput, type WrongPort, withoutExpression } from "./wrong-port.ts";

/** Ports that are wrong in Scan and ListTables. */
export const wrongScans: readonly WrongPort[] = [
  {
    name: "scans the whole table in every segment",
    area: "Scan in",
    wrap: changingInput("Scan", ({ Segment: _, TotalSegments: __, ...rest }) => rest),
  },
  {
    name: "forgets LastEvaluatedKey of a scan",
    area: "Scan with Limit",
    wrap: changingOutput("Scan", ({ LastEvaluatedKey: _, ...rest }) => rest),
  },
  {
    name: "ignores the filter of a scan",
    area: "Scan filters",
    wrap: changingInput("Scan", (input) => withoutExpression(input, "FilterExpression")),
  },
  {
    name: "ignores the legacy ScanFilter",
    area: "Scan by ScanFilter",
    wrap: changingInput("Scan", ({ ScanFilter: _, ConditionalOperator: __, ...rest }) => rest),
  },
  {
    name: "returns one item of a scan twice",
    area: "Scan returns every item once",
    wrap: changingOutput("Scan", (output) => ({
      ...output,
      Items: [...(output.Items ?? []), ...(output.Items ?? []).slice(0, 1)],
    })),
  },
  {
    name: "lists all tables on one page",
    area: "ListTables",
    wrap: changingInput("ListTables", ({ Limit, ...rest }) =>
      Limit !== undefined && Limit > 0 && Limit <= 100 ? rest : { ...rest, Limit },
    ),
  },
  {
    name: "forgets LastEvaluatedTableName",
    area: "ListTables",
    wrap: changingOutput("ListTables", ({ LastEvaluatedTableName: _, ...rest }) => rest),
  },
];
