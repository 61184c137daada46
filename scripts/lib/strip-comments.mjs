/**
 * Removes comments and deep indentation from the compiled packages, a fifth of what is installed. People read comments in the types, which
 * keep them. Names and lines stay, so that stack traces can be read. The program keeps only names: its server is installed a second time, in
 * the bundle.
 */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { replaceFile } from "./replace-file.mjs";
import { rootFolder } from "./run-command.mjs";

/** Folders that other steps of the build write, and tests. */
const notCompiled = /^(?:program|console|docs|thread|waits-[^/]+)\//;

const programFolder = join(rootFolder, "packages", "tablekeep", "dist");

/** Files that are transformed at once. */
const lanes = 8;

export async function stripComments() {
  const files = readdirSync(join(rootFolder, "packages")).flatMap(compiledFiles);
  const lane = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) await strip(file);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function compiledFiles(name) {
  const dist = join(rootFolder, "packages", name, "dist");
  if (!existsSync(dist)) return [];
  const found = readdirSync(dist, { recursive: true });
  return found
    .filter((file) => file.endsWith(".js") && !notCompiled.test(file))
    .map((file) => join(dist, file));
}

async function strip(path) {
  const source = readFileSync(path, "utf8");
  // Nothing to remove: it is as an earlier build left it.
  if (!/^\s*(?:\/\*|\/\/)/m.test(source)) return;
  const { mtime, atime } = statSync(path);
  const isProgram = path.startsWith(programFolder);
  const { code } = await transform(source, {
    loader: "js",
    target: "esnext",
    legalComments: "none",
    ...(isProgram && { minifyWhitespace: true, lineLimit: 160 }),
  });
  replaceFile(path, Buffer.from(code));
  // The compiler and the program compare times.
  utimesSync(path, atime, mtime);
}
