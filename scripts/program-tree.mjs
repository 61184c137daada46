/** `node scripts/program-tree.mjs TARGET`: writes the program with all it needs to run, for an image; see deploy/docker. */
import { programTree } from "./lib/deploy/program-tree.mjs";

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error("error: name a folder: node scripts/program-tree.mjs /app");
  process.exitCode = 64;
} else {
  const { files, bytes } = programTree(target);
  console.log(`${files} files, ${(bytes / 1e6).toFixed(1)} MB`);
}
