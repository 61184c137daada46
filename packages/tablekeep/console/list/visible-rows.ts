/** Rows `first` to `last`, both included; `last` is below `first` where there are none. */
export interface RowSpan {
  readonly first: number;
  readonly last: number;
}

export interface ListView {
  /** Pixels scrolled. */
  readonly top: number;
  /** Pixels seen. */
  readonly height: number;
  /** Pixels of one row. */
  readonly rowHeight: number;
  /** How many rows there are. */
  readonly count: number;
}

/** Rows drawn above and below those that are seen, so that a short scroll shows no gap. */
const overscan = 10;
/** However tall the window is, no more rows than this are drawn. */
export const maxDrawnRows = 150;

/** The rows to draw. They change in steps of a few rows, not with every pixel. */
export function visibleRows({ top, height, rowHeight, count }: ListView): RowSpan {
  const step = overscan / 2;
  const seenFirst = Math.floor(Math.max(0, top) / rowHeight);
  const seenLast = Math.floor((Math.max(0, top) + Math.max(height, rowHeight)) / rowHeight);
  const first = Math.max(0, Math.floor((seenFirst - overscan) / step) * step);
  const wanted = Math.ceil((seenLast + overscan) / step) * step;
  const last = Math.min(count - 1, wanted, first + maxDrawnRows - 1);
  return { first: Math.min(first, Math.max(0, count - 1)), last };
}
