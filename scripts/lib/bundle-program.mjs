/**
 * Bundles the compiled packages into a few files, because locating and reading hundreds of files takes most of the start-up
 * time. Only the command line uses the bundle. Programs that import the packages get the compiled files, so that there is
 * one class of each error in a process.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { rootFolder } from "./run-command.mjs";

const folder = join(rootFolder, "packages", "tablekeep");
const output = join(folder, "dist", "program");

/** Bundles `dist/cli/main.js` and everything of this repository that it imports into `dist/program`. */
export async function bundleProgram() {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, "dist", "cli", "main.js")],
    outdir: output,
    absWorkingDir: rootFolder,
    bundle: true,
    // Keeps dynamic imports in separate files.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // A quarter less to install and to read at each start. Names stay, so that stack traces can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    plugins: [keepThirdPartyExternal],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  checkImports(metafile);
  // The entry comes last: a program that starts meanwhile finds everything it imports.
  const entryLast = outputFiles.toSorted(
    (one, other) => Number(isEntry(one.path)) - Number(isEntry(other.path)),
  );
  for (const { path, contents } of entryLast) replaceFile(path, contents);
  const current = new Set(outputFiles.map(({ path }) => relative(output, path)));
  for (const name of readdirSync(output)) if (!current.has(name)) rmSync(join(output, name), { force: true });
}

/** Third-party packages are resolved from `dist/program` at run time. */
const keepThirdPartyExternal = {
  name: "keep third-party packages external",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
      const isOwn = kind === "entry-point" || path.startsWith("@tablekeep/");
      return isOwn ? undefined : { path, external: true };
    });
  },
};

/** Each third-party import must be a dependency of the program, in the version that the importing package declares. */
function checkImports({ inputs }) {
  const asked = manifestOf("tablekeep");
  for (const [file, { imports }] of Object.entries(inputs)) {
    const [, owner] = /^packages\/([^/]+)\//.exec(file) ?? [];
    for (const { path, external } of imports) {
      if (!external || path.startsWith("node:")) continue;
      const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
      const wanted = manifestOf(owner)[name];
      if (wanted !== undefined && asked[name] === wanted) continue;
      throw new Error(`${file} imports ${name}: add ${name} ${wanted} to packages/tablekeep/package.json`);
    }
  }
}

function manifestOf(owner) {
  const file = join(rootFolder, "packages", owner, "package.json");
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, "utf8"));
  return { ...peerDependencies, ...dependencies };
}

/** Replaces the file atomically: other processes may be reading it. */
function replaceFile(path, contents) {
  // All other names contain a hash of the content.
  if (!isEntry(path) && existsSync(path)) return;
  mkdirSync(output, { recursive: true });
  // Not in the output folder, where another build may delete it.
  const temporary = join(folder, "dist", `.program-${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function isEntry(path) {
  return path === join(output, "main.js");
}
