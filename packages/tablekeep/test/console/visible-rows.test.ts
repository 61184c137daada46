import fc from "fast-check";
import { expect, test } from "vitest";
import { maxDrawnRows, visibleRows } from "../../console/list/visible-rows.ts";

test("visible rows are drawn, with some rows around them, and never too many", () => {
  const views = fc.record({
    top: fc.integer({ min: -100, max: 10_000_000 }),
    height: fc.integer({ min: 0, max: 8_000 }),
    rowHeight: fc.integer({ min: 40, max: 100 }),
    count: fc.integer({ min: 0, max: 200_000 }),
  });
  fc.assert(
    fc.property(views, (view) => {
      const { top, height, rowHeight, count } = view;
      const { first, last } = visibleRows(view);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThan(Math.max(1, count));
      expect(last - first + 1).toBeLessThanOrEqual(maxDrawnRows);
      const seenFirst = Math.floor(Math.max(0, top) / rowHeight);
      const seenLast = Math.min(count - 1, Math.floor((Math.max(0, top) + height) / rowHeight));
      if (seenFirst >= count || seenLast - seenFirst > 100) return;
      expect(first).toBeLessThanOrEqual(seenFirst);
      expect(last).toBeGreaterThanOrEqual(seenLast);
    }),
  );
});

test("a scroll of a few pixels draws the same rows", () => {
  const view = { height: 800, rowHeight: 80, count: 1_000 };
  expect(visibleRows({ ...view, top: 20_010 })).toEqual(visibleRows({ ...view, top: 20_030 }));
});
