import { type Isolated, isolate } from "./isolate.ts";

/** The fixtures of a test. */
export interface TestFixtures {
  /** What the test has for itself. */
  readonly tablekeep: Isolated;
}

/**
 * Fixtures for `test.extend` of vitest and of Playwright: `tablekeep` is what a test has for itself.
 *
 * @example
 * const test = base.extend<TestFixtures>(fixtures);
 * test("stores a cart", async ({ tablekeep }) => { … });
 */
export const fixtures = {
  // biome-ignore lint/correctness/noEmptyPattern: both frameworks read the names of fixtures from the pattern
  tablekeep: async ({}: object, use: (isolated: Isolated) => Promise<void>): Promise<void> => {
    const isolated = await isolate();
    try {
      await use(isolated);
    } finally {
      await isolated.close();
    }
  },
};
