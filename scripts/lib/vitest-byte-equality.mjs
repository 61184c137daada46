/**
 * Makes `toEqual` and its relatives compare bytes at once. By default they compare a Uint8Array element by element, through its iterator, and
 * comparing all items of a table can cost more than the calls under test. What is equal stays the same.
 */
import { expect } from "vitest";

/**
 * Returns whether two arrays of bytes are equal, and undefined for everything else, which vitest compares itself: a Buffer is not equal to
 * a Uint8Array.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean | undefined}
 */
function equalBytes(one, other) {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return undefined;
  if (one.constructor !== other.constructor) return undefined;
  return Buffer.compare(one, other) === 0;
}

// A setup file runs for each test file, and test files share a process, where testers accumulate.
const added = Symbol.for("tablekeep:byte-equality");
if (!(added in globalThis)) {
  Object.defineProperty(globalThis, added, { value: true });
  expect.addEqualityTesters([equalBytes]);
}
