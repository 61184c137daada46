import type { Path, Update } from "./syntax-tree.ts";

/** Every path that an update names. */
export function updatePaths(update: Update): Path[] {
  const assigned = [...update.set, ...update.add, ...update.delete].map(({ path }) => path);
  return [...assigned, ...update.remove];
}
