/** Summarizes a test run: checks, prerequisites and tests. */

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {readonly string[]} failed by name
 * @property {readonly string[]} skipped by name, with the reason if there is one
 */

/**
 * @param {readonly { name: string, failure: string }[]} checks
 * @returns {Tally}
 */
export function tallyOfChecks(checks) {
  const failed = checks.filter(({ failure }) => failure !== "").map(({ name }) => `check: ${name}`);
  return { passed: checks.length - failed.length, failed, skipped: [] };
}

/**
 * Counts what a machine needs to run all tests. Missing prerequisites fail the run if `required`, and are listed as skipped otherwise.
 * @param {readonly { name: string, present: boolean, unlocks: string }[]} prerequisites
 * @param {boolean} required
 * @returns {Tally}
 */
export function tallyOfPrerequisites(prerequisites, required) {
  const missing = prerequisites
    .filter(({ present }) => !present)
    .map(({ name, unlocks }) => `${name} is missing: ${unlocks} do not run`);
  return {
    passed: prerequisites.length - missing.length,
    failed: required ? missing : [],
    skipped: required ? [] : missing,
  };
}

/**
 * Counts the tests in the report of vitest's JSON reporter; `undefined` if vitest ended before it wrote one.
 * @param {{ success: boolean, testResults: readonly TestFile[] } | undefined} report
 * @param {number} exitCode of vitest
 * @returns {Tally}
 *
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {readonly { fullName: string, status: string }[]} assertionResults
 */
export function tallyOfTests(report, exitCode) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const named = (...statuses) =>
    tests.filter(({ status }) => statuses.includes(status)).map(({ fullName }) => fullName);
  const failed = named("failed");
  for (const file of files) {
    // A file can fail outside its tests, for example in a hook.
    const broken =
      file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed");
    if (broken) failed.push(`file: ${file.name}`);
  }
  if (failed.length === 0 && (exitCode !== 0 || tests.length === 0)) {
    failed.push(`vitest ended with code ${exitCode} after ${tests.length} tests; see its output above`);
  }
  return {
    passed: named("passed").length,
    failed,
    skipped: named("skipped", "pending", "todo", "disabled"),
  };
}

/**
 * Returns the last lines of a run. The last one is always `N passed, N failed, N skipped`.
 * @param {readonly Tally[]} tallies
 * @returns {string[]}
 */
export function summaryLines(tallies) {
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.flatMap((tally) => tally.failed);
  const skipped = tallies.flatMap((tally) => tally.skipped);
  return [
    ...section("SKIPPED", skipped),
    ...section("FAILED", failed),
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ];
}

function section(title, names) {
  return names.length === 0
    ? []
    : [`*** ${title} (${names.length}) ***`, ...names.map((name) => `  ${name}`), ""];
}
