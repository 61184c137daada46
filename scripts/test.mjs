/**
 * `npm test`: builds, then runs the other checks and all tests. The last line is `N passed, N failed, N skipped`, where each check and each
 * prerequisite counts as one. With CI=true a missing prerequisite is a failure. Arguments are passed to vitest.
 *
 * There are two runs of vitest at the same time, which take about as long. One runs a file at a time: those that wait for DynamoDB
 * Local, for a browser or for a server, so that they leave much of the machine to the others.
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

const others = projects("unit-programs", "unit-alone", "unit");
const oneByOne = [
  ...projects(
    "unit-served",
    "packages",
    "browser",
    "engine-endpoint",
    "dynamodb-local",
    "stores-on-dynamodb-local",
  ),
  "--maxWorkers=1",
];
const moduleCache = mkdtempSync(join(tmpdir(), "tablekeep-modules-"));

// The tests need the build. The other checks use one core only, so they run beside the tests.
const isBuild = ({ name }) => name === "types and build";
const [build] = await runChecks(allChecks().filter(isBuild), console.log);
const isBuilt = build?.failure === "";
const given = process.argv.slice(2);
const checkLines = [];
const [otherChecks, ...ran] = await Promise.all([
  runChecks(
    allChecks().filter((check) => !isBuild(check)),
    (line) => checkLines.push(line),
  ),
  ...(given.length > 0 ? [runVitest(given)] : [runVitest(others), runVitest(oneByOne, true)]),
]);
rmSync(moduleCache, { recursive: true });
const checks = [build, ...otherChecks];
for (const { output } of ran) process.stdout.write(output);
console.log(`\n${checkLines.join("\n")}`);
for (const { name, failure } of checks) if (failure !== "") console.error(`\n--- ${name}\n${failure}`);

const tallies = [
  tallyOfChecks(checks),
  tallyOfPrerequisites(prerequisites, isCi),
  ...ran.map(({ report, exitCode }) => tallyOfTests(report, exitCode)),
];
console.log(`\n${summaryLines(tallies).join("\n")}`);
process.exitCode = tallies.some(({ failed }) => failed.length > 0) ? 1 : 0;

/** Runs vitest. A `quiet` run prints nothing itself; what it would have printed is its `output`. */
async function runVitest(args, quiet = false) {
  const folder = mkdtempSync(join(tmpdir(), "tablekeep-test-"));
  const reportFile = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const vitest = spawn(join(rootFolder, "node_modules", ".bin", "vitest"), ["run", ...reporters, ...args], {
    cwd: rootFolder,
    stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    env: {
      ...process.env,
      TEST_MODULE_CACHE: moduleCache,
      ...(isBuilt && { PACKAGES_ARE_BUILT: "1" }),
    },
  });
  let output = "";
  for (const stream of [vitest.stdout, vitest.stderr])
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const [exitCode] = await once(vitest, "close");
  const report = readReport(reportFile);
  rmSync(folder, { recursive: true });
  return { exitCode: exitCode ?? 1, report, output };
}

function projects(...names) {
  return names.flatMap((name) => ["--project", name]);
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
