/** `npm run check`: all static checks. */
import { allChecks, runChecks } from "./lib/checks.mjs";

const results = await runChecks(allChecks(), console.log);
const failed = results.filter(({ failure }) => failure !== "");
for (const { name, failure } of failed) console.error(`\n--- ${name}\n${failure}`);
console.log(`${results.length - failed.length} checks passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
