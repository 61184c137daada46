/**
 * Lets the types of our packages compile without their optional peers. A program that does not have the AWS SDK installed
 * and checks the types of its libraries would fail at every import of it; with the comment that this adds to the compiled
 * declarations, what is missing is `any`.
 */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "./run-command.mjs";

const comment = "/** @ts-ignore: an optional peer, any where it is not installed */";

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
  // For the compiler it is still what it has written.
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
