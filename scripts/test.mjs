/**
 * `npm test`: runs the checks, then all tests. The last line is `N passed, N failed, N skipped`, where each check and each
 * prerequisite counts as one. With CI=true a missing prerequisite is a failure. Arguments are passed to vitest.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allChecks, runChecks } from "./lib/checks.mjs";
import { javaVersion } from "./lib/dynamodb-local.mjs";
import { rootFolder } from "./lib/run-command.mjs";
import { summaryLines, tallyOfChecks, tallyOfPrerequisites, tallyOfTests } from "./lib/test-summary.mjs";

const isCi = !["", "0", "false"].includes(process.env.CI ?? "");
const browsers = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];
const prerequisites = [
  { name: "Java 17", present: javaVersion() >= 17, unlocks: "the tests on DynamoDB Local" },
  ...["curl", "python3", "swaks"].map((name) => ({
    name,
    present: spawnSync(name, ["--version"]).status === 0,
    unlocks: "the tests that send mail with it",
  })),
  {
    name: "mosquitto_pub",
    present: spawnSync("mosquitto_pub", ["--help"]).error === undefined,
    unlocks: "the tests of device shadows with mosquitto's clients",
  },
  {
    name: "cc",
    present: spawnSync("cc", ["--version"]).status === 0,
    unlocks: "the tests of power cuts, which preload a small C library",
  },
  {
    name: "Chromium",
    present: browsers.some(existsSync),
    unlocks: "the tests of the console in a browser",
  },
];

const checks = await runChecks(allChecks(), console.log);
const isBuilt = checks.some(({ name, failure }) => name === "types and build" && failure === "");
const tests = await runVitest();
for (const { name, failure } of checks) if (failure !== "") console.error(`\n--- ${name}\n${failure}`);

const tallies = [
  tallyOfChecks(checks),
  tallyOfPrerequisites(prerequisites, isCi),
  tallyOfTests(tests.report, tests.exitCode),
];
console.log(`\n${summaryLines(tallies).join("\n")}`);
process.exitCode = tallies.some(({ failed }) => failed.length > 0) ? 1 : 0;

async function runVitest() {
  const folder = mkdtempSync(join(tmpdir(), "tablekeep-test-"));
  const reportFile = join(folder, "report.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const vitest = spawn(
    join(rootFolder, "node_modules", ".bin", "vitest"),
    [...args, ...process.argv.slice(2)],
    {
      cwd: rootFolder,
      stdio: "inherit",
      env: { ...process.env, ...(isBuilt && { TABLEKEEP_BUILT: "1" }) },
    },
  );
  const [exitCode] = await once(vitest, "exit");
  const report = readReport(reportFile);
  rmSync(folder, { recursive: true });
  return { exitCode: exitCode ?? 1, report };
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
