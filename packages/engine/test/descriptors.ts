import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** Returns the descriptors of this process that refer to a file. Linux only. */
export function descriptorsOf(file: string): number[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === file ? [Number(name)] : [];
    } catch {
      // The descriptor of the listing itself is closed by now.
      return [];
    }
  });
}

/** LMDB has two descriptors of its file: for pages, and, with O_DSYNC, for the meta page that ends a commit. */
export function databaseDescriptor(path: string, part: "pages" | "meta"): number {
  const found = descriptorsOf(join(path, "data.mdb")).find((descriptor) => {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
    const isSynced = (Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? "", 8) & 0o10000) !== 0;
    return isSynced === (part === "meta");
  });
  if (found === undefined) throw new Error(`LMDB has no descriptor for ${part}`);
  return found;
}

/**
 * Redirects a descriptor of this process to another file. A new one gets the lowest free number, so that lower ones are occupied
 * first.
 */
export function redirectDescriptor(descriptor: number, file: string, flags: "r" | "r+"): void {
  closeSync(descriptor);
  const fillers: number[] = [];
  let opened = openSync(file, flags);
  while (opened !== descriptor && fillers.length < 1000) {
    fillers.push(opened);
    opened = openSync(file, flags);
  }
  for (const filler of fillers) closeSync(filler);
  expect(opened).toBe(descriptor);
}
