import { useEffect, useMemo } from "preact/hooks";
import { useStore } from "../shell/use-store.ts";
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

/** Short, because an empty list shows first steps that the user may be following. */
const emptyMs = 2_000;
const shortMs = 10_000;
/** A longer list would lose the place that it was scrolled to. */
const maxRows = 100;

/** While `isOn`, reads a short list again from time to time, for changes that do not come through this server. */
export function useRefresh(rows: Pick<Rows<unknown>, "state" | "reload">, isOn = true): void {
  const { count, mayBeMore } = useStore(rows.state);
  const isShort = isOn && count !== undefined && count <= maxRows && !mayBeMore;
  const everyMs = count === 0 ? emptyMs : shortMs;
  useEffect(() => {
    if (!isShort) return;
    const timer = setInterval(() => {
      if (!document.hidden) rows.reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [rows, isShort, everyMs]);
}
