import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** The part of Are the types wrong? that its command line is built on. */
interface Checker {
  createPackageFromTarballData(tarball: Uint8Array): unknown;
  checkPackage(checked: unknown): Promise<Analysis>;
  readonly problemAffectsResolutionKind: (problem: Problem, kind: string, analysis: Analysis) => boolean;
}

interface Analysis {
  readonly types: unknown;
  readonly problems?: readonly Problem[];
}

interface Problem {
  readonly kind: string;
}

/**
 * What is wrong with the types in a tarball, for those who import it as an ES module: Node's resolution and that of
 * bundlers. CommonJS is left out, as by `attw --profile esm-only`: what a `require` gets is tried on Node itself.
 */
export async function wrongTypes(tarball: string): Promise<readonly Problem[]> {
  const { createPackageFromTarballData, checkPackage, problemAffectsResolutionKind } = await loadChecker();
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (analysis.types === false) return [{ kind: "NoTypes" }];
  return (analysis.problems ?? []).filter((problem) =>
    ["node16-esm", "bundler"].some((kind) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
}

/** One process for all tarballs: each run of the command line loads its own compiler. */
async function loadChecker(): Promise<Checker> {
  const require = createRequire(import.meta.url);
  const commandLine = require.resolve("@arethetypeswrong/cli/package.json");
  const checker = createRequire(commandLine).resolve("@arethetypeswrong/core");
  const problems = createRequire(commandLine).resolve("@arethetypeswrong/core/problems");
  const parts = await Promise.all([checker, problems].map((path) => import(pathToFileURL(path).href)));
  return Object.assign({}, ...parts) as Checker;
}
