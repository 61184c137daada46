import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { sourceAliases } from "../../../scripts/lib/source-aliases.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Bundles the bank into one script, which starts faster than many files. Returns its path. */
export async function bundleBank(): Promise<string> {
  const outDir = `${root}node_modules/.cache/tablekeep/bank-${randomUUID()}`;
  await build({
    configFile: false,
    logLevel: "error",
    root,
    resolve: { alias: sourceAliases },
    ssr: { noExternal: [/^@tablekeep\//] },
    build: {
      ssr: fileURLToPath(new URL("../src/main.ts", import.meta.url)),
      outDir,
      emptyOutDir: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "bank.mjs" } },
    },
  });
  return `${outDir}/bank.mjs`;
}
