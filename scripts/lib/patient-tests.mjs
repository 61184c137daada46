/**
 * Finds tests that a slow machine can make fail: those that assert a duration, and those that time out earlier than
 * vitest.config.ts says. The timeouts there still catch a hang.
 */

/** The same values as in vitest.config.ts. */
const testMs = 180_000;
const pollMs = 120_000;

const rules = [
  {
    what: "asserts a duration: assert behaviour instead, and let a hang run into the timeout of the test",
    breaks: (line) => /(performance|Date)\.now\(\)[^;]*\)\s*\.toBeLess/.test(line),
  },
  {
    what: `has a timeout below the default of ${pollMs} ms: remove it`,
    breaks: (line) => lessThan(pollMs, /\b(?:poll|waitFor|waitUntil)\(.*\btimeout: ([\d_]+)/.exec(line)?.[1]),
  },
  {
    what: `has a timeout below the default of ${testMs} ms: remove it`,
    breaks: (line, before) =>
      lessThan(testMs, /^\s*\}, ([\d_]+)\);$/.exec(line)?.[1]) ||
      (/^\s*\},$/.test(before) && lessThan(testMs, /^\s*([\d_]+),$/.exec(line)?.[1])) ||
      lessThan(testMs, /^(?:.*\b(?:test|describe)\b.*)\{ timeout: ([\d_]+) \}/.exec(line)?.[1]),
  },
];

/** Less than a second is a polling interval, not a timeout. */
function lessThan(limit, text) {
  const ms = Number(text?.replaceAll("_", ""));
  return ms >= 1_000 && ms < limit;
}

/**
 * Returns one line for each line of a test that depends on the speed of the machine.
 * @param {{ path: string, source: string }} file
 * @returns {string[]}
 */
export function impatientLines({ path, source }) {
  if (!/\.test\.ts$|^(?:packages|examples)\/[^/]+\/test\/.*\.ts$/.test(path)) return [];
  return source
    .split("\n")
    .flatMap((line, index, lines) =>
      rules
        .filter(({ breaks }) => breaks(line, lines[index - 1] ?? ""))
        .map(({ what }) => `${path}:${index + 1}: ${what}`),
    );
}
