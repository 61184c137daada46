// biome-ignore-all lint/a11y/useSemanticElements: a browser does not render parts of a table on demand
// biome-ignore-all lint/a11y/useFocusableInteractive: the link of a row and the button of a column have the focus
import type { ComponentChildren, VNode } from "preact";
import { goTo } from "../shell/use-route.ts";
import type { GridColumn } from "./grid-column.ts";
import { GridHead, type GridHeadProps } from "./grid-head.tsx";
import type { Rows } from "./rows.ts";
import { scrolledHeight } from "./scroll-scale.ts";
import { useVisibleRows } from "./use-visible-rows.ts";
import { ListFailure } from "./virtual-list.tsx";
import "./grid.css";

export interface VirtualGridProps<Row> extends Omit<GridHeadProps, "columns"> {
  readonly rows: Rows<Row>;
  readonly columns: readonly GridColumn[];
  /** The label of the grid, for screen readers. */
  readonly label: string;
  readonly keyOf: (row: Row) => string;
  /** The address that a row leads to. */
  readonly hrefOf: (row: Row) => string;
  /** The key of the row that is open. @default none */
  readonly openKey?: string;
  /** The text of a cell. */
  readonly cellOf: (row: Row, column: string) => string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** What is said before an error. @default that the list cannot be read */
  readonly failure?: string;
}

/** Pixels of a row, and of the head. */
const rowHeight = 34;

/** A grid of any length, of which only the visible rows are in the page. Keys are those of a list. */
export function VirtualGrid<Row>(props: VirtualGridProps<Row>): VNode {
  const { rows, label, columns, empty, failure, sort, onSort, onResize } = props;
  const { state, count, indexes, scroller, scroll, cursor } = useVisibleRows({
    ...props,
    rowHeight,
    inset: rowHeight,
  });
  const { first, measure } = scroll;
  if (state.error !== undefined && count === 0)
    return <ListFailure error={state.error} rows={rows} what={failure} />;
  if (state.count === undefined) return <div class="list-state">Loading…</div>;
  if (count === 0 && !state.mayBeMore) return <>{empty}</>;
  return (
    <>
      {state.error !== undefined && <ListFailure error={state.error} rows={rows} what={failure} />}
      <div
        class="grid"
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={state.mayBeMore ? -1 : count + 1}
        aria-colcount={columns.length}
        style={{ "--columns": template(columns) }}
        onScroll={measure}
      >
        <GridHead columns={columns} sort={sort} onSort={onSort} onResize={onResize} />
        <div class="grid-rows" role="presentation" style={{ height: `${scrolledHeight(scroll.size)}px` }}>
          <div role="rowgroup" style={{ transform: `translateY(${first * rowHeight + scroll.offset}px)` }}>
            {indexes.map((index) => (
              <GridRow
                key={index - state.shift}
                {...props}
                index={index}
                row={rows.rowAt(index)}
                hasCursor={cursor.index === index}
                onCursor={cursor.set}
              />
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

/** The first column stays when others are scrolled, and leaves them space on a phone; the last one has what is left of the width, unless it has numbers, which would be far from the others. */
function template(columns: readonly GridColumn[]): string {
  const last = columns.length - 1;
  const sizeOf = ({ width, isNumber }: GridColumn, at: number) => {
    if (at === last) return isNumber ? `${width}px minmax(0, 1fr)` : `minmax(${width}px, 1fr)`;
    return at === 0 ? `min(${width}px, 45vw)` : `${width}px`;
  };
  return columns.map(sizeOf).join(" ");
}

interface GridRowProps<Row> extends VirtualGridProps<Row> {
  readonly index: number;
  readonly row: Row | undefined;
  readonly hasCursor: boolean;
  readonly onCursor: (index: number) => void;
}

function GridRow<Row>(props: GridRowProps<Row>): VNode {
  const { row, index, hasCursor, onCursor, openKey, keyOf, hrefOf, columns, cellOf } = props;
  if (row === undefined) return <div class="grid-row waiting" aria-hidden="true" />;
  const open = () => {
    // A user who selects text to copy it does not want to open the row.
    if (getSelection()?.isCollapsed ?? true) goTo(hrefOf(row));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row is for keys
    <div
      class="grid-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={keyOf(row) === openKey}
      onClick={open}
    >
      {columns.map(({ name, isNumber }, at) => {
        const text = cellOf(row, name);
        return (
          <div
            key={name}
            class={isNumber ? "grid-cell number-cell" : "grid-cell"}
            role={at === 0 ? "rowheader" : "gridcell"}
            title={text.length > 12 ? text : undefined}
          >
            {at === 0 ? (
              <a
                href={hrefOf(row)}
                data-index={index}
                tabIndex={hasCursor ? 0 : -1}
                onFocus={() => onCursor(index)}
              >
                {text || "—"}
              </a>
            ) : (
              text
            )}
          </div>
        );
      })}
    </div>
  );
}
