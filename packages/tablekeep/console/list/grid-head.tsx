// biome-ignore-all lint/a11y/useSemanticElements: a browser does not render parts of a table on demand
// biome-ignore-all lint/a11y/useFocusableInteractive: the link of a row and the button of a column have the focus
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import type { GridColumn, GridSort } from "./grid-column.ts";

export interface GridHeadProps {
  readonly columns: readonly GridColumn[];
  /** @default as they are read */
  readonly sort: GridSort | undefined;
  readonly onSort: (sort: GridSort | undefined) => void;
  readonly onResize: (column: string, width: number) => void;
}

const [minWidth, maxWidth, keyStep] = [60, 900, 20];
const bounded = (width: number) => Math.max(minWidth, Math.min(maxWidth, Math.round(width)));

/** The names of the columns. A click sorts by one; its edge, or Shift and an arrow key, makes it wider or narrower. */
export function GridHead({ columns, sort, onSort, onResize }: GridHeadProps): VNode {
  return (
    <div class="grid-head" role="rowgroup">
      <div class="grid-row" role="row" aria-rowindex={1}>
        {columns.map((column) => {
          const sorted = sort?.column === column.name ? sort : undefined;
          const direction = sorted?.isDescending ? "descending" : "ascending";
          return (
            <div
              key={column.name}
              class={column.isNumber ? "grid-cell number-cell" : "grid-cell"}
              role="columnheader"
              aria-sort={sorted === undefined ? "none" : direction}
            >
              <button
                type="button"
                class="plain"
                title={`${column.name}: sorts the items read so far. Shift + ← or → changes the width.`}
                onClick={() => onSort(nextSort(column.name, sorted))}
                onKeyDown={(event) => {
                  const step = { ArrowRight: keyStep, ArrowLeft: -keyStep }[event.key];
                  if (step === undefined || !event.shiftKey) return;
                  event.preventDefault();
                  onResize(column.name, bounded(column.width + step));
                }}
              >
                <span>{column.name}</span>
                {sorted !== undefined && <span aria-hidden="true">{sorted.isDescending ? "↓" : "↑"}</span>}
              </button>
              <Edge width={column.width} onResize={(width) => onResize(column.name, width)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Up, down, and unsorted. */
function nextSort(column: string, sorted: GridSort | undefined): GridSort | undefined {
  if (sorted === undefined) return { column, isDescending: false };
  return sorted.isDescending ? undefined : { column, isDescending: true };
}

interface EdgeProps {
  readonly width: number;
  readonly onResize: (width: number) => void;
}

/** The edge of a column, which the pointer moves. */
function Edge({ width, onResize }: EdgeProps): VNode {
  const start = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  return (
    <span
      class="grid-edge"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={({ clientX }) => {
        if (start.current !== undefined) onResize(bounded(start.current.width + clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
    />
  );
}
