import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isScaled, type ListSize, placeAt, type ScrollPosition, scrolledPosition } from "./scroll-scale.ts";
import { type RowSpan, visibleRows } from "./visible-rows.ts";

export interface ScrollOptions {
  readonly scroller: { readonly current: HTMLElement | null };
  readonly rowHeight: number;
  readonly count: number;
  /** How many rows were put on top; a change moves the view with the rows that it shows. */
  readonly shift: number;
  /** Pixels at the top of the view that rows are scrolled behind, such as a head that stays. @default 0 */
  readonly inset?: number;
}

/** The visible part of a list. */
export interface ListScroll extends RowSpan {
  /** Pixels between a row's place in the scrolled element and its place among all rows; 0 unless the list is scaled. */
  readonly offset: number;
  readonly size: ListSize;
  readonly isAtTop: boolean;
  /** To be called when the list was scrolled or resized. */
  measure(): void;
  /** Scrolls until this row is seen. */
  showRow(index: number): void;
  scrollToTop(): void;
}

/** A scaled list brings the scroll bar in line with its rows this many milliseconds after the last scroll event. */
const restMs = 200;

/** Follows and changes how far a list is scrolled. */
export function useScroll({ scroller, rowHeight, count, shift, inset = 0 }: ScrollOptions): ListScroll {
  const heightOf = (list: HTMLElement | null) => Math.max(0, (list?.clientHeight ?? 0) - inset);
  const place = useRef<ScrollPosition>({ scrollTop: 0, top: 0 });
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [view, setView] = useState({ top: 0, height: 800, offset: 0 });
  const size: ListSize = { rows: count * rowHeight, view: view.height };
  const spanOf = ({ top, height }: { readonly top: number; readonly height: number }) =>
    visibleRows({ top, height, rowHeight, count });
  const draw = () => {
    const { scrollTop, top } = place.current;
    const next = { top, height: heightOf(scroller.current), offset: scrollTop - top };
    setView((old) => (sameView(old, next, rowHeight) && sameSpan(spanOf(old), spanOf(next)) ? old : next));
  };
  const moveTo = (top: number) => {
    const list = scroller.current;
    if (list === null) return;
    const wanted = placeAt(top, { ...size, view: heightOf(list) });
    list.scrollTop = wanted.scrollTop;
    place.current = { top: wanted.top, scrollTop: list.scrollTop };
    draw();
  };
  const align = () => {
    const isMoving = scroller.current?.scrollTop !== place.current.scrollTop;
    if (isScaled(size) && !isMoving) moveTo(place.current.top);
  };
  const before = useRef(shift);
  useLayoutEffect(() => {
    const added = shift - before.current;
    before.current = shift;
    const list = scroller.current;
    if (added === 0 || list === null) return;
    // The event of the last scroll may be on its way.
    const { top } = scrolledPosition(place.current, list.scrollTop, { ...size, view: heightOf(list) });
    if (top > rowHeight / 2) moveTo(top + added * rowHeight);
  }, [shift, rowHeight]);
  useLayoutEffect(() => () => clearTimeout(rest.current), []);
  return {
    ...spanOf(view),
    offset: view.offset,
    size,
    isAtTop: view.top <= rowHeight / 2,
    measure() {
      const { scrollTop = 0 } = scroller.current ?? {};
      place.current = scrolledPosition(place.current, scrollTop, {
        ...size,
        view: heightOf(scroller.current),
      });
      draw();
      clearTimeout(rest.current);
      rest.current = setTimeout(align, restMs);
    },
    showRow(index) {
      const rowTop = index * rowHeight;
      const height = heightOf(scroller.current);
      if (rowTop < place.current.top) moveTo(rowTop);
      else if (rowTop + rowHeight > place.current.top + height) moveTo(rowTop + rowHeight - height);
    },
    scrollToTop: () => moveTo(0),
  };
}

interface View {
  readonly top: number;
  readonly offset: number;
}

/** Whether two views differ in nothing but a few pixels that the browser scrolls on its own. */
function sameView(one: View, other: View, rowHeight: number): boolean {
  const isTop = ({ top }: View) => top <= rowHeight / 2;
  return Math.abs(one.offset - other.offset) < 0.5 && isTop(one) === isTop(other);
}

function sameSpan(one: RowSpan, other: RowSpan): boolean {
  return one.first === other.first && one.last === other.last;
}
