/**
 * `npm run cli-reference`: brings docs/reference/cli.md up to date with the built program. `npm run check` fails if it is
 * out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "./lib/built-program.mjs";
import { cliReference } from "./lib/cli-reference.mjs";
import { rootFolder } from "./lib/run-command.mjs";

const page = join(rootFolder, "docs", "reference", "cli.md");
writeFileSync(page, cliReference(readFileSync(page, "utf8"), await builtProgram()));
