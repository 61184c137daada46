import { existsSync } from "node:fs";
import { join } from "node:path";
import { ambientState } from "./ambient-state.mjs";
import { builtProgram } from "./built-program.mjs";
import { checkoutFiles } from "./checkout-files.mjs";
import { cliReference } from "./cli-reference.mjs";
import { lockProblems } from "./complete-lock.mjs";
import { importCycles } from "./import-cycles.mjs";
import { llmsText } from "./llms.mjs";
import { machineTraces } from "./machine-traces.mjs";
import { forbiddenImports } from "./package-boundaries.mjs";
import { impatientLines } from "./patient-tests.mjs";
import { rootFolder, runCommand } from "./run-command.mjs";

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {() => Promise<string>} run resolves to the problems found, or to "" if there are none
 */

/**
 * For programs in Go that end soon: garbage is collected a quarter as often. They run beside the tests, where less CPU time matters more
 * than threads: several checkers of the compiler check what they share once each.
 */
const rareCollection = { GOGC: "400" };

/** Returns every check of the code, the quick ones first. */
export function allChecks() {
  const checks = [
    tool("format and lint", "biome", ["check", "--error-on-warnings", "--max-diagnostics=200", "."]),
    { name: "types and build", run: () => failureOf(process.execPath, [join("scripts", "build.mjs")]) },
    tool("types of tests", "tsc", ["-p", "tsconfig.test.json", "--checkers", "1"], rareCollection),
    tool("types of the console", "tsc", ["-p", "packages/tablekeep/console"]),
    tool("promises", "oxlint", ["--type-aware", "--deny-warnings"], rareCollection),
    ours("package boundaries", forbiddenImports),
    ours("import cycles", importCycles),
    ours("lock file", lockProblems),
    ours("ambient state", (files) => files.flatMap(ambientState)),
    ours("patient tests", (files) => files.flatMap(impatientLines)),
    ours("machine traces", (files) => files.flatMap(machineTraces)),
    ours("llms.txt", staleLlms),
    ours("cli.md", staleCliReference),
    tool("dead code", "knip", ["--no-progress", "--no-config-hints"]),
  ];
  const docsCheck = join("scripts", "lib", "check-docs.mjs");
  if (existsSync(join(rootFolder, docsCheck))) {
    checks.push({ name: "code in the docs", run: () => failureOf(process.execPath, [docsCheck]) });
  }
  return checks;
}

/**
 * Runs every check, one after the other, and prints a line for each.
 * @param {readonly Check[]} checks
 * @param {(line: string) => void} print
 * @returns {Promise<{ name: string, failure: string }[]>} in the order of `checks`; `failure` is "" for a check that passed
 */
export async function runChecks(checks, print) {
  const results = [];
  for (const { name, run } of checks) {
    const before = performance.now();
    const failure = await run().catch((error) => String(error?.stack ?? error));
    const seconds = ((performance.now() - before) / 1000).toFixed(1);
    print(`${failure === "" ? "ok    " : "FAILED"} ${name.padEnd(22)} ${seconds.padStart(5)} s`);
    results.push({ name, failure });
  }
  return results;
}

/** @returns {Check} */
function tool(name, command, args, env) {
  return { name, run: () => failureOf(join(rootFolder, "node_modules", ".bin", command), args, env) };
}

async function failureOf(command, args, env) {
  const { code, output } = await runCommand(command, args, env);
  return code === 0 ? "" : output || `${command} ended with code ${code}`;
}

/** Returns a problem if llms.txt does not match the docs. */
function staleLlms(files) {
  const written = files.find(({ path }) => path === "llms.txt")?.source;
  return written === llmsText(files) ? [] : ["llms.txt is out of date: run npm run llms"];
}

/** Returns a problem if the reference of the command line does not match the program. */
async function staleCliReference(files) {
  const written = files.find(({ path }) => path === "docs/reference/cli.md")?.source ?? "";
  const isCurrent = written === cliReference(written, await builtProgram());
  return isCurrent ? [] : ["docs/reference/cli.md is out of date: run npm run cli-reference"];
}

/** @returns {Check} */
function ours(name, problemsOf) {
  return { name, run: async () => (await problemsOf(await checkoutFiles())).join("\n") };
}
