import { useEffect, useMemo } from "preact/hooks";
import type { Rows } from "./rows.ts";

/** Rows that live as long as the component is shown and `inputs` stay the same. */
export function useRows<Row>(open: () => Rows<Row>, inputs: readonly unknown[]): Rows<Row> {
  const rows = useMemo(open, inputs);
  useEffect(() => () => rows.close(), [rows]);
  return rows;
}
