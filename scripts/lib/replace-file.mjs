import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Replaces a file atomically, and only if its content changes: other processes may be reading it. */
export function replaceFile(path, contents) {
  if (isSame(path, contents)) return;
  const part = `${path}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, path);
}

function isSame(path, contents) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
