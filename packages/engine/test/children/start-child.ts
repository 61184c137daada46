import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { sourceAliases } from "../../../../scripts/lib/source-aliases.mjs";

/** A child process and its output. */
export interface StartedChild<Line> {
  readonly process: ChildProcess;
  /** The lines printed so far. */
  readonly lines: readonly Line[];
  /** Resolves with the first line printed. Rejects if the process ends without one. */
  readonly firstLine: Promise<Line>;
  /** Resolves once the process has ended and everything it printed is in `lines`. */
  readonly ended: Promise<void>;
}

/** Starts a script that prints one JSON document per line. */
export function startChild<Line>(script: string, ...args: readonly string[]): StartedChild<Line> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const firstLine = new Promise<Line>((resolve, reject) => {
    reader.once("line", (line) => resolve(JSON.parse(line) as Line));
    void ended.then(() => reject(new Error("the child ended without a word")));
  });
  firstLine.catch(() => undefined);
  reader.on("line", (line) => {
    // A kill may cut the last line.
    if (line.endsWith("}")) lines.push(JSON.parse(line) as Line);
  });
  return { process: child, lines, firstLine, ended };
}

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Bundles a file of this folder into a script for `node`: what crashes must be a separate process, and nothing is
 * compiled before tests run. Returns the script's path.
 */
export async function bundleChild(name: string): Promise<string> {
  const outDir = `${root}node_modules/.cache/tablekeep/engine-${randomUUID()}`;
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: sourceAliases },
    ssr: { noExternal: true, external: ["lmdb"] },
    build: {
      ssr: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
  return `${outDir}/child.mjs`;
}
