import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { rootFolder, runCommand } from "./run-command.mjs";

const maxBytes = 2_000_000;

/**
 * Returns every file of the checkout that git tracks or would add, with its text, except very large ones.
 * @returns {Promise<{ path: string, source: string }[]>}
 */
export async function checkoutFiles() {
  const listing = await runCommand("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (listing.code !== 0) throw new Error(`git cannot list the files of this checkout: ${listing.output}`);
  const paths = [...new Set(listing.output.split("\0"))].filter((path) => path !== "");
  return paths.flatMap((path) => {
    const file = join(rootFolder, path);
    if (!existsSync(file) || statSync(file).size > maxBytes) return [];
    return [{ path, source: readFileSync(file, "utf8") }];
  });
}
