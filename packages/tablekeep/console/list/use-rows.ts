import { useEffect, useMemo } from "preact/hooks";
import type { Rows } from "./rows.ts";

/** Rows that live as long as the component is shown and `inputs` stay the same. */
export function useRows<Opened extends Pick<Rows<unknown>, "close">>(
  open: () => Opened,
  inputs: readonly unknown[],
): Opened {
  const rows = useMemo(open, inputs);
  useEffect(() => () => rows.close(), [rows]);
  return rows;
}
