/**
 * Puts the program together from the compiled packages: a few files instead of hundreds, because most of a start is
 * finding and reading files. Only the command line runs them. Whoever imports the packages gets them as they are, so
 * that there is one class of each error in a process.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { rootFolder } from "./run-command.mjs";

const folder = join(rootFolder, "packages", "tablekeep");
const output = join(folder, "dist", "program");

/** Bundles `dist/cli/main.js` and all that it loads of this project into `dist/program`. */
export async function bundleProgram() {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, "dist", "cli", "main.js")],
    outdir: output,
    absWorkingDir: rootFolder,
    bundle: true,
    // What is loaded only when it is needed stays a file of its own.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [packagesOfOthersStayOutside],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  checkImports(metafile);
  // Whoever starts the program meanwhile finds all that its entry names.
  const entryLast = outputFiles.toSorted(
    (one, other) => Number(isEntry(one.path)) - Number(isEntry(other.path)),
  );
  for (const { path, contents } of entryLast) replaceFile(path, contents);
  const current = new Set(outputFiles.map(({ path }) => relative(output, path)));
  for (const name of readdirSync(output)) if (!current.has(name)) rmSync(join(output, name), { force: true });
}

/** They are found from `dist/program`, in the place where npm has put them. */
const packagesOfOthersStayOutside = {
  name: "packages of others stay outside",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
      const isOwn = kind === "entry-point" || path.startsWith("@tablekeep/");
      return isOwn ? undefined : { path, external: true };
    });
  },
};

/** Each package that the program imports is one that it asks for, in the version that the room has which uses it. */
function checkImports({ inputs }) {
  const asked = manifestOf("tablekeep");
  for (const [file, { imports }] of Object.entries(inputs)) {
    const [, room] = /^packages\/([^/]+)\//.exec(file) ?? [];
    for (const { path, external } of imports) {
      if (!external || path.startsWith("node:")) continue;
      const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
      const wanted = manifestOf(room)[name];
      if (wanted !== undefined && asked[name] === wanted) continue;
      throw new Error(
        `${file} imports ${name}: packages/tablekeep/package.json must ask for ${name} ${wanted}`,
      );
    }
  }
}

function manifestOf(room) {
  const file = join(rootFolder, "packages", room, "package.json");
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, "utf8"));
  return { ...peerDependencies, ...dependencies };
}

/** Other processes may read the file at this moment; they see the old one or the new one, and never a part. */
function replaceFile(path, contents) {
  // The name of every other file holds a hash of what is in it.
  if (!isEntry(path) && existsSync(path)) return;
  mkdirSync(output, { recursive: true });
  // Not in the folder itself, where another build may tidy up.
  const temporary = join(folder, "dist", `.program-${process.pid}`);
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function isEntry(path) {
  return path === join(output, "main.js");
}
