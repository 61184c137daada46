import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ListSize,
  maxPixels,
  placeAt,
  type ScrollPosition,
  scrolledHeight,
  scrolledPosition,
} from "../../console/list/scroll-scale.ts";

const sizes = fc.record({
  rows: fc.oneof(fc.integer({ min: 1_000, max: 1_000_000 }), fc.integer({ min: 1e6, max: 1e12 })),
  view: fc.integer({ min: 100, max: 900 }),
});
const end = ({ rows, view }: ListSize) => rows - view;
const start: ScrollPosition = { scrollTop: 0, top: 0 };

test("every row of a list of any length can be scrolled to, within what a browser can draw", () => {
  fc.assert(
    fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), (size, part) => {
      const place = placeAt(end(size) * part, size);
      expect(place.top).toBeCloseTo(end(size) * part, 0);
      expect(place.scrollTop).toBeGreaterThanOrEqual(0);
      expect(place.scrollTop).toBeLessThanOrEqual(scrolledHeight(size) - size.view + 1e-6);
      expect(scrolledHeight(size)).toBeLessThanOrEqual(maxPixels);
    }),
  );
});

test("the ends of the scroll bar are the ends of the list", () => {
  fc.assert(
    fc.property(sizes, (size) => {
      const bottom = scrolledHeight(size) - size.view;
      fc.pre(bottom > 2 * size.view);
      const last = scrolledPosition(start, bottom, size);
      expect(last.top).toBeCloseTo(end(size), 0);
      expect(scrolledPosition(last, 0, size).top).toBe(0);
    }),
  );
});

test("a wheel moves the rows as far as it turns, in a list of any length", () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: -150, max: 150 }), (size, turn) => {
      const before = placeAt(end(size) / 2, size);
      fc.pre(end(size) > 1_000);
      const after = scrolledPosition(before, before.scrollTop + turn, size);
      expect(after.top - before.top).toBeCloseTo(turn, 2);
    }),
  );
});

test("scrolling never leaves the list, wherever it begins", () => {
  const steps = fc.array(fc.integer({ min: 0, max: maxPixels }), { maxLength: 20 });
  fc.assert(
    fc.property(sizes, steps, (size, scrolls) => {
      let place = start;
      for (const scroll of scrolls) {
        place = scrolledPosition(
          place,
          Math.min(scroll, Math.max(0, scrolledHeight(size) - size.view)),
          size,
        );
        expect(place.top).toBeGreaterThanOrEqual(0);
        expect(place.top).toBeLessThanOrEqual(Math.max(0, end(size)));
      }
    }),
  );
});
