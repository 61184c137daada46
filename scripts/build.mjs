/**
 * `npm run build`: compiles the packages and bundles the program, its console and the documentation. With arguments, compiles only these
 * TypeScript projects and their references. `npm test` builds once and says so to its tests, which build before they use
 * the program: PACKAGES_ARE_BUILT=1 leaves everything as it is.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildConsole } from "./lib/build-console.mjs";
import { buildDocs } from "./lib/build-docs.mjs";
import { bundleProgram } from "./lib/bundle-program.mjs";
import { bundleThread } from "./lib/bundle-thread.mjs";
import { markOptionalTypes } from "./lib/optional-types.mjs";
import { removeStaleOutput } from "./lib/remove-stale-output.mjs";
import { rootFolder } from "./lib/run-command.mjs";
import { stripComments } from "./lib/strip-comments.mjs";

if (process.env.PACKAGES_ARE_BUILT === "1") process.exit(0);

const compiler = join(rootFolder, "node_modules", "typescript", "bin", "tsc");
const args = [compiler, "-b", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: rootFolder, stdio: "inherit" });
if (status === 0) {
  removeStaleOutput();
  markOptionalTypes();
  await stripComments();
  await Promise.all([bundleProgram(), bundleThread(), buildConsole(), buildDocs()]);
} else process.exitCode = status ?? 1;
