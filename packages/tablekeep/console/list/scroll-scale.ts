/** Browsers draw no element that is much taller. */
export const maxPixels = 15_000_000;

/** How far a list is scrolled, in the browser's measure and in pixels of its rows. */
export interface ScrollPosition {
  /** The browser's own number. */
  readonly scrollTop: number;
  /** Pixels of rows above the view. */
  readonly top: number;
}

/** The sizes of a list in pixels. */
export interface ListSize {
  /** All rows together. */
  readonly rows: number;
  /** The visible part of them. */
  readonly view: number;
}

/** The height of the element that is scrolled. */
export function scrolledHeight({ rows }: ListSize): number {
  return Math.min(rows, maxPixels);
}

/** Whether the rows are taller than an element can be: then the scroll bar moves in larger steps than the rows. */
export function isScaled({ rows }: ListSize): boolean {
  return rows > maxPixels;
}

/** The place with this many pixels of rows above it. */
export function placeAt(top: number, size: ListSize): ScrollPosition {
  const bounded = Math.max(0, Math.min(top, size.rows - size.view));
  return { top: bounded, scrollTop: isScaled(size) ? bounded / scaleOf(size) : bounded };
}

/**
 * The place after the browser has scrolled. In a scaled list a wheel, a key or a finger moves the rows as far as in any
 * other list, so that none is skipped; the scroll bar jumps to its part of all rows.
 */
export function scrolledPosition(before: ScrollPosition, scrollTop: number, size: ListSize): ScrollPosition {
  if (!isScaled(size)) return { scrollTop, top: scrollTop };
  const moved = scrollTop - before.scrollTop;
  if (Math.abs(moved) > 2 * size.view)
    return { scrollTop, top: placeAt(scrollTop * scaleOf(size), size).top };
  return { scrollTop, top: placeAt(before.top + moved, size).top };
}

function scaleOf({ rows, view }: ListSize): number {
  return (rows - view) / (maxPixels - view);
}
