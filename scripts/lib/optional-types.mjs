/**
 * Makes our type declarations compile without the optional peer dependencies. Without the AWS SDK installed, a program with
 * `skipLibCheck: false` would fail at each import of it; the comment that this adds turns missing types into `any`.
 */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "./run-command.mjs";

const comment = "/** @ts-ignore: an optional peer dependency; any if it is not installed */";

/** Marks the imports of optional peers in the declarations of every package. */
export function markOptionalTypes() {
  for (const name of readdirSync(join(rootFolder, "packages"))) {
    const folder = join(rootFolder, "packages", name);
    const { peerDependenciesMeta = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const optional = Object.keys(peerDependenciesMeta);
    if (optional.length === 0) continue;
    const files = readdirSync(join(folder, "dist"), { recursive: true });
    for (const file of files.filter((each) => each.endsWith(".d.ts")))
      markFile(join(folder, "dist", file), optional);
  }
}

function markFile(path, optional) {
  const text = readFileSync(path, "utf8");
  const marked = markedTypes(text, optional);
  if (marked === text) return;
  const { atime, mtime } = statSync(path);
  writeFileSync(path, marked);
  // Keeps the incremental build valid.
  utimesSync(path, atime, mtime);
}

/**
 * @param {string} text declarations
 * @param {readonly string[]} optional names of packages
 */
function markedTypes(text, optional) {
  const lines = text.split("\n");
  return lines
    .flatMap((line, at) => {
      const [, from] = /^(?:import|export) .* from "([^"]+)";$/.exec(line) ?? [];
      const isMarked = lines[at - 1] === comment;
      return from !== undefined && optional.includes(from) && !isMarked ? [comment, line] : [line];
    })
    .join("\n");
}
