/**
 * Resolves imports of this repository's packages to their source, for Vite and vitest: nothing has to be built before a
 * test runs. `paths` in tsconfig.base.json does the same for the compiler and esbuild.
 */
import { join } from "node:path";
import { rootFolder } from "./run-command.mjs";

const packages = join(rootFolder, "packages");

export const sourceAliases = [
  { find: /^@tablekeep\/([^/]+)$/, replacement: join(packages, "$1", "src", "index.ts") },
  { find: /^@tablekeep\/([^/]+)\/(.+)$/, replacement: join(packages, "$1", "src", "$2", "index.ts") },
  { find: /^tablekeep$/, replacement: join(packages, "tablekeep", "src", "index.ts") },
  { find: /^tablekeep\/(.+)$/, replacement: join(packages, "tablekeep", "src", "$1", "index.ts") },
];
