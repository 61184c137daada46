/**
 * Finds tests that a slow machine can make fail: those that assert a duration, those that time out earlier than
 * vitest.config.ts says (the timeouts there still catch a hang), and those that give a call so little real time that a slow
 * machine may not get as far as the test assumes.
 */

/** The same values as in vitest.config.ts. */
const testMs = 600_000;
const pollMs = 300_000;

/** The shortest real time that a call may get. */
const callMs = 1_000;

const rules = [
  {
    what: "asserts a duration: assert behavior instead, and let a hang run into the timeout of the test",
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
  {
    what: `gives a call less than ${callMs} ms of real time: use a fake clock, or write "// Slow is fine: " and why`,
    breaks: (line, before, source) =>
      isHasty(line) && !fakeTime.test(source) && !reason.test(line) && !reason.test(before),
  },
];

/** What makes the time of a test's calls independent of the machine. */
const fakeTime = /\b(?:fakeClock|inFakeTime|underFaults)\(|\bmonotonic: \(\) =>/;

/** Says in a comment, on the line or right above it, why slowness cannot change the outcome. */
const reason = /\/\/ Slow is fine: \S/;

/** Whether a line gives a call less than a second. A value that is expected, or part of an error, gives it nothing. */
function isHasty(line) {
  return [...line.matchAll(/\b(?:deadlineMs|socketTimeoutMs)(?::| =) ([\d_]+)\b/g)].some(
    ({ 1: text, index }) => {
      const ms = Number(text.replaceAll("_", ""));
      const isData = /(?:\.to[A-Z]\w*|Error)\([^()]*$|\bdetails: \{[^}]*$/.test(line.slice(0, index));
      return ms > 0 && ms < callMs && !isData;
    },
  );
}

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
        .filter(({ breaks }) => breaks(line, lines[index - 1] ?? "", source))
        .map(({ what }) => `${path}:${index + 1}: ${what}`),
    );
}
