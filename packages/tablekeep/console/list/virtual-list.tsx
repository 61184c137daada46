import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import type { Rows } from "./rows.ts";
import { scrolledHeight } from "./scroll-scale.ts";
import { useVisibleRows } from "./use-visible-rows.ts";

export interface VirtualListProps<Row> {
  readonly rows: Rows<Row>;
  /** The label of the list, for screen readers. */
  readonly label: string;
  /** Pixels; every row has the same height. */
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string;
  /** The address that a row leads to. */
  readonly hrefOf: (row: Row) => string;
  /** The key of the row that is open. @default none */
  readonly openKey?: string;
  /** The index of a row by its key, in lists that can be read at any place. @default only rows at the top are found */
  readonly indexOf?: (key: string) => number | undefined;
  readonly renderRow: (row: Row) => ComponentChildren;
  /** Stands before the link of a row, such as a check box; the tab key stops only at the row of the cursor. @default nothing */
  readonly renderMark?: (row: Row, tabIndex: 0 | -1) => ComponentChildren;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
}

/** A list of any length, of which only the visible rows are in the page. `j` and `k` move along it, Enter opens. */
export function VirtualList<Row>(props: VirtualListProps<Row>): VNode {
  const { rows, label, rowHeight, empty } = props;
  const { state, count, indexes, scroller, scroll, cursor } = useVisibleRows(props);
  const { first, measure } = scroll;
  const seenShift = useRef(state.shift);
  if (scroll.isAtTop) seenShift.current = state.shift;
  const unseen = state.shift - seenShift.current;
  if (state.error !== undefined && count === 0) return <ListFailure error={state.error} rows={rows} />;
  if (state.count === undefined) return <div class="list-state">Loading…</div>;
  if (count === 0 && !state.mayBeMore) return <>{empty}</>;
  return (
    <>
      {state.error !== undefined && <ListFailure error={state.error} rows={rows} />}
      {unseen > 0 && (
        <button type="button" class="list-new" onClick={scroll.scrollToTop}>
          ↑ {unseen.toLocaleString()} new
        </button>
      )}
      <div class="list" ref={scroller} onScroll={measure}>
        <div style={{ height: `${scrolledHeight(scroll.size)}px` }}>
          <ul aria-label={label} style={{ transform: `translateY(${first * rowHeight + scroll.offset}px)` }}>
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

interface ListFailureProps {
  readonly error: Error;
  readonly rows: Pick<Rows<unknown>, "reload">;
  /** @default that the list cannot be read */
  readonly what?: string;
}

/** Says why rows are missing. */
export function ListFailure({ error, rows, what = "The list cannot be read" }: ListFailureProps): VNode {
  return (
    <div class="list-state" role="alert">
      <p>
        {what}: {error.message}
      </p>
      <button type="button" onClick={() => rows.reload()}>
        Try again
      </button>
    </div>
  );
}
