import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Message } from "esbuild";
import { modulesOf } from "../lib/check-docs.mjs";
import { rootFolder } from "../lib/run-command.mjs";

const page = readFileSync(join(rootFolder, "docs/how-to/bundling-and-lambda.md"), "utf8");

/** A bundle that docs/how-to/bundling-and-lambda.md has made. */
export interface Bundle {
  readonly text: string;
  /** What esbuild warned of. */
  readonly warnings: readonly Message[];
}

/** Bundles the handler of the page as the page says, in a project that has the packages installed. */
export async function bundleHandler(project: string, format: "cjs" | "esm"): Promise<Bundle> {
  const folder = join(project, "lambda");
  mkdirSync(folder, { recursive: true });
  const [handler = ""] = modulesOf(page);
  writeFileSync(join(folder, "handler.ts"), handler);
  const { outputFiles, warnings } = await build({
    ...optionsOf(format),
    absWorkingDir: folder,
    entryPoints: ["handler.ts"],
    write: false,
    logLevel: "silent",
  });
  return { text: outputFiles[0]?.text ?? "", warnings };
}

/** The options of the command line on the page. */
function optionsOf(format: string): object {
  const line = page
    .replaceAll(" \\\n", " ")
    .split("\n")
    .find((each) => each.startsWith("npx esbuild ") && each.includes(`--format=${format} `));
  if (line === undefined) throw new Error(`the page has no command line for ${format}`);
  const options: Record<string, unknown> = {};
  for (const [, name = "", key, quoted, plain] of line.matchAll(
    / --(\w+)(?::(\w+))?(?:=(?:'([^']*)'|(\S+)))?/g,
  )) {
    const value = quoted ?? plain ?? true;
    if (name !== "outfile") options[name] = key === undefined ? value : { [key]: value };
  }
  return options;
}
