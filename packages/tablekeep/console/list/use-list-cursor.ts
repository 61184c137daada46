import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";
import { goTo } from "../shell/use-route.ts";
import type { Rows } from "./rows.ts";

export interface ListCursorOptions<Row> {
  readonly rows: Rows<Row>;
  readonly count: number;
  readonly shift: number;
  readonly keyOf: (row: Row) => string;
  readonly hrefOf: (row: Row) => string;
  readonly openKey?: string;
  readonly indexOf?: (key: string) => number | undefined;
  readonly scroller: { readonly current: HTMLElement | null };
  readonly showRow: (index: number) => void;
}

/** The current row of the keyboard. It stays the same row when others are added above it. */
export interface ListCursor {
  /** -1 before the first key. */
  readonly index: number;
  set(index: number): void;
}

/** Moves along a list by keys. While a row is open, the one moved to is opened in its place. */
export function useListCursor<Row>(options: ListCursorOptions<Row>): ListCursor {
  const { rows, count, shift, hrefOf, openKey, scroller, showRow } = options;
  // As `index - shift`, so that rows put on top do not move it.
  const [place, setPlace] = useState<number | undefined>(undefined);
  const wantsFocus = useRef(false);
  const index = place === undefined ? -1 : Math.min(place + shift, count - 1);
  const set = (to: number) => setPlace(to - shift);
  const moveTo = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    if (count === 0) return;
    wantsFocus.current = true;
    set(next);
    showRow(next);
    const row = rows.rowAt(next);
    if (openKey !== undefined && row !== undefined) goTo(hrefOf(row), { replace: true });
  };
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const link = scroller.current?.querySelector<HTMLElement>(`a[data-index="${index}"]`);
    link?.focus({ preventScroll: true });
    if (link) wantsFocus.current = false;
  });
  useFollowOpen(options, index, set);
  // Elsewhere these keys scroll the text.
  const isInList = () => scroller.current?.contains(document.activeElement) ?? false;
  useKeys({
    j: { does: "Next row", run: () => moveTo(index + 1) },
    k: { does: "Previous row", run: () => moveTo(index - 1) },
    ArrowDown: { does: "Next row", when: isInList, run: () => moveTo(index + 1) },
    ArrowUp: { does: "Previous row", when: isInList, run: () => moveTo(index - 1) },
    Home: { does: "First row", when: isInList, run: () => moveTo(0) },
    End: { does: "Last row", when: isInList, run: () => moveTo(count - 1) },
    Enter: {
      does: "Open",
      run() {
        const row = rows.rowAt(index);
        if (row !== undefined) goTo(hrefOf(row));
      },
    },
  });
  return { index, set };
}

/** After a row is opened by a click or an address, the keys continue there. Where its place is known, it is scrolled to. */
function useFollowOpen<Row>(
  { rows, count, keyOf, openKey, indexOf, showRow }: ListCursorOptions<Row>,
  index: number,
  set: (index: number) => void,
): void {
  const known = Math.min(count, 500);
  useEffect(() => {
    if (openKey === undefined) return;
    const keyAt = (at: number) => {
      const row = rows.rowAt(at);
      return row === undefined ? undefined : keyOf(row);
    };
    if (keyAt(index) === openKey) return;
    const place = indexOf?.(openKey);
    if (place !== undefined && place >= 0 && place < count) {
      showRow(place);
      return set(place);
    }
    for (let at = 0; at < known; at++) if (keyAt(at) === openKey) return set(at);
  }, [openKey, known > 0]);
}
