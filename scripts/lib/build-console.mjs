import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.mjs";
import { rootFolder } from "./run-command.mjs";

const source = join(rootFolder, "packages", "tablekeep", "console");
const target = join(rootFolder, "packages", "tablekeep", "dist", "console");

/**
 * Bundles the console into one script and one style sheet, beside the page of its sandbox. Safe to run in several processes at once: files are replaced
 * atomically, and only if their content changed.
 */
export async function buildConsole() {
  const { outputFiles } = await build({
    entryPoints: { console: join(source, "main.tsx") },
    outdir: target,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    write: false,
  });
  mkdirSync(target, { recursive: true });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  for (const name of ["index.html", "icon.svg"])
    replaceFile(join(target, name), readFileSync(join(source, name)));
  replaceFile(join(target, "sandbox.html"), await sandboxPage());
}

/** The page in which typed code runs. It has no origin and may load nothing, so it contains the source of its worker. */
async function sandboxPage() {
  const folder = join(source, "sandbox");
  const { outputFiles } = await build({
    entryPoints: [join(folder, "fold-worker.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2023",
    write: false,
  });
  const worker = JSON.stringify(outputFiles[0].text).replaceAll("<", "\\u003c");
  const page = readFileSync(join(folder, "sandbox.html"), "utf8");
  return Buffer.from(page.replace('"WORKER"', () => worker));
}
