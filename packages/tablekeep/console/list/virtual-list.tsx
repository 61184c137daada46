import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../shell/use-store.ts";
import type { Rows } from "./rows.ts";
import { useListCursor } from "./use-list-cursor.ts";
import { visibleRows } from "./visible-rows.ts";

export interface VirtualListProps<Row> {
  readonly rows: Rows<Row>;
  /** What is listed, for those who hear the page. */
  readonly label: string;
  /** Pixels; every row has the same height. */
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string;
  /** The address that a row leads to. */
  readonly hrefOf: (row: Row) => string;
  /** The key of the row that is open. @default none */
  readonly openKey?: string | undefined;
  readonly renderRow: (row: Row) => ComponentChildren;
  /** Stands before the link of a row, such as a check box; the tab key stops only at the row of the cursor. @default nothing */
  readonly renderMark?: (row: Row, tabIndex: 0 | -1) => ComponentChildren;
  /** Stands where there are no rows. */
  readonly empty: ComponentChildren;
}

/** Browsers draw no element that is much taller. */
const mostPixels = 15_000_000;

/** A list of any length, of which only what is seen is in the page. `j` and `k` move along it, Enter opens. */
export function VirtualList<Row>(props: VirtualListProps<Row>): VNode {
  const { rows, label, rowHeight, empty } = props;
  const state = useStore(rows.state);
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const count = Math.min(state.count ?? 0, Math.floor(mostPixels / rowHeight));
  const { first, last } = visibleRows({ ...view, rowHeight, count });
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {};
    setView((old) => (sameRows(old, { top, height }, rowHeight, count) ? old : { top, height }));
  };
  useEffect(() => rows.want(first, last), [rows, first, last, count]);
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (scroller.current !== null) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [rows, count === 0]);
  useSteadyView(scroller, state.shift, rowHeight);
  const cursor = useListCursor({ ...props, count, shift: state.shift, scroller });
  if (state.error !== undefined && count === 0) return <ListFailure error={state.error} rows={rows} />;
  if (state.count === undefined) return <div class="list-state">Loading…</div>;
  if (count === 0 && !state.mayBeMore) return <>{empty}</>;
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  return (
    <>
      {state.error !== undefined && <ListFailure error={state.error} rows={rows} />}
      <div class="list" ref={scroller} onScroll={look}>
        <div style={{ height: `${count * rowHeight}px` }}>
          <ul aria-label={label} style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {indexes.map((index) => (
              <ListRow
                key={index - state.shift}
                {...props}
                index={index}
                count={count}
                row={rows.rowAt(index)}
                hasCursor={cursor.index === index}
                onCursor={cursor.set}
              />
            ))}
          </ul>
        </div>
      </div>
    </>
  );
}

interface ListRowProps<Row> extends VirtualListProps<Row> {
  readonly index: number;
  readonly count: number;
  readonly row: Row | undefined;
  readonly hasCursor: boolean;
  readonly onCursor: (index: number) => void;
}

function ListRow<Row>(props: ListRowProps<Row>): VNode {
  const { row, index, count, rowHeight, hasCursor, onCursor, openKey, keyOf, hrefOf, renderRow, renderMark } =
    props;
  const style = { height: `${rowHeight}px` };
  if (row === undefined) return <li class="row waiting" style={style} aria-hidden="true" />;
  return (
    <li class="row" style={style} aria-setsize={count} aria-posinset={index + 1}>
      {renderMark?.(row, hasCursor ? 0 : -1)}
      <a
        href={hrefOf(row)}
        data-index={index}
        tabIndex={hasCursor ? 0 : -1}
        aria-current={keyOf(row) === openKey ? "true" : undefined}
        onFocus={() => onCursor(index)}
      >
        {renderRow(row)}
      </a>
    </li>
  );
}

function ListFailure({ error, rows }: { error: Error; rows: Pick<Rows<unknown>, "reload"> }): VNode {
  return (
    <div class="list-state" role="alert">
      <p>The list cannot be read: {error.message}</p>
      <button type="button" onClick={() => rows.reload()}>
        Try again
      </button>
    </div>
  );
}

interface Seen {
  readonly top: number;
  readonly height: number;
}

function sameRows(one: Seen, other: Seen, rowHeight: number, count: number): boolean {
  const [was, is] = [one, other].map((seen) => visibleRows({ ...seen, rowHeight, count }));
  return was?.first === is?.first && was?.last === is?.last;
}

/** A row that is put on top moves nothing for those who have scrolled down. */
function useSteadyView(
  scroller: { readonly current: HTMLElement | null },
  shift: number,
  rowHeight: number,
): void {
  const before = useRef(shift);
  useLayoutEffect(() => {
    const added = shift - before.current;
    before.current = shift;
    const list = scroller.current;
    if (list !== null && added !== 0 && list.scrollTop > rowHeight / 2) list.scrollTop += added * rowHeight;
  }, [shift, rowHeight, scroller]);
}
