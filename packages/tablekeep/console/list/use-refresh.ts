import { useEffect } from "preact/hooks";
import { useStore } from "../shell/use-store.ts";
import type { Rows } from "./rows.ts";

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
