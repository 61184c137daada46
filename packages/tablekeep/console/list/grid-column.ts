/** A column of a grid. */
export interface GridColumn {
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  /** Whether its cells end at the same edge, as numbers do. */
  readonly isNumber: boolean;
}

/** The column that rows are sorted by. */
export interface GridSort {
  readonly column: string;
  readonly isDescending: boolean;
}
