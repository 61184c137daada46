import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { replaceFile } from "./replace-file.mjs";
import { rootFolder } from "./run-command.mjs";

const folder = join(rootFolder, "packages", "tablekeep");

/** The thread needs no third-party package: it gets its tables from the server. */
const ownPackagesOnly = {
  name: "own packages only",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
      const isOwn = kind === "entry-point" || path.startsWith("@tablekeep/");
      return isOwn ? undefined : { path, external: true, sideEffects: false };
    });
  },
};

/**
 * Bundles the thread that rebuilds states of entities, from its source, into one file. Tests run the server from source and bundle the
 * thread themselves: Node 20 runs no TypeScript in a thread. Safe to run in several processes at once.
 */
export async function bundleThread() {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "src", "entity-thread", "fold-thread.ts")],
    outdir: join(folder, "dist", "thread"),
    absWorkingDir: rootFolder,
    tsconfig: join(rootFolder, "tsconfig.base.json"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    plugins: [ownPackagesOnly],
    write: false,
    logLevel: "silent",
  });
  for (const { path, contents } of outputFiles) {
    mkdirSync(join(folder, "dist", "thread"), { recursive: true });
    replaceFile(path, contents);
  }
}
