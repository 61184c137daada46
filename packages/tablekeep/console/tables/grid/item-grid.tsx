import type { ComponentChildren, VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { GridSort } from "../../list/grid-column.ts";
import type { Rows } from "../../list/rows.ts";
import { sortedRows } from "../../list/rows.ts";
import { VirtualGrid } from "../../list/virtual-grid.tsx";
import { useStore } from "../../shell/use-store.ts";
import type { WireItem } from "../api/table-facts.ts";
import { ColumnChoice } from "./column-choice.tsx";
import {
  allColumns,
  cellText,
  itemOrder,
  type KnownColumns,
  type RememberedColumns,
  shownColumns,
} from "./grid-columns.ts";
import { rememberColumns, rememberedColumns } from "./remembered-columns.ts";

export interface ItemGridProps {
  /** The table whose columns are remembered. */
  readonly table: string;
  /** The key attributes, which are the first columns. */
  readonly keys: readonly string[];
  readonly rows: Rows<WireItem>;
  readonly columns: KnownColumns;
  readonly keyOf: (item: WireItem) => string;
  readonly hrefOf: (item: WireItem) => string;
  readonly openKey?: string;
  /** Shown if there are no items. */
  readonly empty: ComponentChildren;
  /** What is said before an error. */
  readonly failure: string;
  /** Shown below the grid: the cost of reading. */
  readonly foot: ComponentChildren;
}

const maxCharacters = 300;

/** Items as a grid: a column for each attribute, of which the user chooses. */
export function ItemGrid(props: ItemGridProps): VNode {
  const { table, keys, rows, columns: known, keyOf, hrefOf, openKey, empty, failure, foot } = props;
  const [remembered, setRemembered] = useState(() => rememberedColumns(table));
  const [sort, setSort] = useState<GridSort>();
  const [isChoosing, setIsChoosing] = useState(false);
  const { count = 0, mayBeMore, error } = useStore(rows.state);
  const isFailed = error !== undefined && count === 0;
  const sorted = useMemo(() => sortedRows(rows, sort && itemOrder(sort)), [rows, sort]);
  const columns = useMemo(() => shownColumns(known, keys, remembered), [known, keys.join(), remembered]);
  const all = allColumns(known, keys);
  const keep = (next: RememberedColumns) => {
    setRemembered(next);
    rememberColumns(table, next);
  };
  return (
    <>
      <VirtualGrid
        rows={sorted}
        columns={columns}
        label="Items"
        keyOf={keyOf}
        hrefOf={hrefOf}
        openKey={openKey}
        cellOf={(item, column) => cellText(item[column], maxCharacters)}
        sort={sort}
        onSort={setSort}
        onResize={(column, width) =>
          keep({ ...remembered, widths: { ...remembered.widths, [column]: width } })
        }
        empty={empty}
        failure={failure}
      />
      <div class="list-foot grid-foot">
        <p role="status">
          {!isFailed && foot}
          {sort !== undefined && mayBeMore && ", of which those are sorted"}
        </p>
        {count > 0 && (
          <button type="button" class="plain" onClick={() => setIsChoosing(true)}>
            Columns: {columns.length} of {all.length}
          </button>
        )}
      </div>
      {isChoosing && (
        <ColumnChoice
          all={all}
          shown={columns.map(({ name }) => name)}
          onChoose={(names) => keep({ ...remembered, names })}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  );
}
