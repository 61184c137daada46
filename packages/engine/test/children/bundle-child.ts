import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { sourceAliases } from "../../../../scripts/lib/source-aliases.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Makes a script that `node` runs by itself out of a file of this folder: what crashes must be a process of its own,
 * and nothing is compiled before tests run. Gives the script's path.
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
