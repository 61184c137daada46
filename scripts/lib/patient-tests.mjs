/**
 * No test fails because the machine is slow: none asserts that something took less than a time, and none gives up
 * earlier than vitest.config.ts does. The limits there still catch a hang.
 */

/** As in vitest.config.ts. */
const testMs = 180_000;
const pollMs = 120_000;

const rules = [
  {
    what: "asserts that something is fast: assert what it does, or let it hang until the test times out",
    breaks: (line) => /(performance|Date)\.now\(\)[^;]*\)\s*\.toBeLess/.test(line),
  },
  {
    what: `waits less than the default of ${pollMs} ms: leave the timeout out`,
    breaks: (line) => lessThan(pollMs, /\b(?:poll|waitFor|waitUntil)\(.*\btimeout: ([\d_]+)/.exec(line)?.[1]),
  },
  {
    what: `gives up before the default of ${testMs} ms: leave the timeout out`,
    breaks: (line, before) =>
      lessThan(testMs, /^\s*\}, ([\d_]+)\);$/.exec(line)?.[1]) ||
      (/^\s*\},$/.test(before) && lessThan(testMs, /^\s*([\d_]+),$/.exec(line)?.[1])) ||
      lessThan(testMs, /^(?:.*\b(?:test|describe)\b.*)\{ timeout: ([\d_]+) \}/.exec(line)?.[1]),
  },
];

/** A number of milliseconds below one second is an interval, and not a limit. */
function lessThan(limit, text) {
  const ms = Number(text?.replaceAll("_", ""));
  return ms >= 1_000 && ms < limit;
}

/**
 * Each line of a test that a slow machine can make fail.
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
