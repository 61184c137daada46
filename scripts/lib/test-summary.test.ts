import { expect, test } from "vitest";
import { summaryLines, tallyOfChecks, tallyOfPrerequisites, tallyOfTests } from "./test-summary.mjs";

const one = (fullName: string, status: string) => ({ fullName, status });
const file = (status: string, ...assertionResults: ReturnType<typeof one>[]) => ({
  name: "a.test.ts",
  status,
  assertionResults,
});

test("the last line counts checks, prerequisites and tests together", () => {
  const checks = tallyOfChecks([
    { name: "types", failure: "" },
    { name: "lint", failure: "bad" },
  ]);
  const java = tallyOfPrerequisites([{ name: "Java", present: true, unlocks: "some tests" }], true);
  const report = {
    success: false,
    testResults: [file("failed", one("a", "passed"), one("b", "failed"), one("c", "skipped"))],
  };
  const lines = summaryLines([checks, java, tallyOfTests(report, 1)]);
  expect(lines.at(-1)).toBe("3 passed, 2 failed, 1 skipped");
  expect(lines).toEqual(expect.arrayContaining(["  check: lint", "  b", "  c", "*** SKIPPED (1) ***"]));
});

test("a missing prerequisite is a failure where it is required, and a named skip elsewhere", () => {
  const missing = [{ name: "Java 17", present: false, unlocks: "the tests on DynamoDB Local" }];
  const line = "Java 17 is missing: the tests on DynamoDB Local do not run";
  expect(tallyOfPrerequisites(missing, true)).toEqual({ passed: 0, failed: [line], skipped: [] });
  expect(tallyOfPrerequisites(missing, false)).toEqual({ passed: 0, failed: [], skipped: [line] });
});

test("a file that breaks before its first test is one failure", () => {
  const report = { success: false, testResults: [file("failed"), file("passed", one("a", "passed"))] };
  expect(tallyOfTests(report, 1)).toEqual({ passed: 1, failed: ["file: a.test.ts"], skipped: [] });
});

test("a file that fails beside its tests, in a hook, is one failure", () => {
  const report = { success: false, testResults: [file("failed", one("a", "passed"))] };
  expect(tallyOfTests(report, 1).failed).toEqual(["file: a.test.ts"]);
});

test.each([
  [undefined, 1],
  [undefined, 0],
  [{ success: true, testResults: [] }, 0],
  [{ success: true, testResults: [file("passed", one("a", "passed"))] }, 1],
])("a run that did not end well, or ran nothing, never counts as passed (%#)", (report, exitCode) => {
  expect(tallyOfTests(report, exitCode).failed).toHaveLength(1);
});

test("tests that are put off count as skipped", () => {
  const report = {
    success: true,
    testResults: [file("passed", one("a", "passed"), one("b", "todo"), one("c", "pending"))],
  };
  expect(tallyOfTests(report, 0)).toEqual({ passed: 1, failed: [], skipped: ["b", "c"] });
});
