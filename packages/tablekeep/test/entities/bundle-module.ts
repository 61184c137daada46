import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleThread } from "../../../../scripts/lib/bundle-thread.mjs";
import { rootFolder } from "../../../../scripts/lib/run-command.mjs";

/** Bundles the thread of the server, and the definitions of the tests into a module in this folder. Returns its path. */
export async function bundleModule(folder: string): Promise<string> {
  const outfile = join(folder, "entities.mjs");
  await Promise.all([
    bundleThread(),
    build({
      entryPoints: [fileURLToPath(new URL("definitions.ts", import.meta.url))],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "bundle",
      external: ["@aws-sdk/*", "@opentelemetry/*", "undici"],
      tsconfig: join(rootFolder, "tsconfig.base.json"),
      logLevel: "silent",
    }),
  ]);
  return outfile;
}
