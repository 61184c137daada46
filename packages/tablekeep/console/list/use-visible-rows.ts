import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../shell/use-store.ts";
import type { RowsState } from "./rows.ts";
import { type ListCursor, type ListCursorOptions, useListCursor } from "./use-list-cursor.ts";
import { type ListScroll, type ScrollOptions, useScroll } from "./use-scroll.ts";

type VisibleRowsOptions<Row> = Omit<ListCursorOptions<Row>, "count" | "shift" | "scroller" | "showRow"> &
  Pick<ScrollOptions, "rowHeight" | "inset">;

/** The rows of a list or a grid that are in the page. */
export interface VisibleRows {
  readonly state: RowsState;
  readonly count: number;
  readonly indexes: readonly number[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly scroll: ListScroll;
  readonly cursor: ListCursor;
}

/** Reads the rows that are visible, after scrolling and after a change of the size as well. */
export function useVisibleRows<Row>(options: VisibleRowsOptions<Row>): VisibleRows {
  const { rows, rowHeight, inset } = options;
  const state = useStore(rows.state);
  const scroller = useRef<HTMLDivElement>(null);
  const count = state.count ?? 0;
  const { shift } = state;
  const scroll = useScroll({ scroller, rowHeight, count, shift, inset });
  const { first, last, measure } = scroll;
  useEffect(() => rows.show(first, last), [rows, first, last, count]);
  useEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (scroller.current !== null) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [rows, count === 0]);
  const cursor = useListCursor({ ...options, count, shift, scroller, showRow: scroll.showRow });
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  return { state, count, indexes, scroller, scroll, cursor };
}
