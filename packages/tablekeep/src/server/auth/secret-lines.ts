import { readFileSync } from "node:fs";

/** A file of secrets that cannot be used: it cannot be read, or one of its lines is wrong. */
export interface LineTrouble {
  readonly line?: number;
  readonly reason: string;
  readonly cause?: unknown;
}

/**
 * The lines `name:hash` of a text, by their names. Names and hashes of wrong lines are not repeated in errors: only their
 * numbers are.
 */
export function parseSecretLines(
  text: string,
  isHash: (hash: string) => boolean,
  wrong: (trouble: LineTrouble) => Error,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const end = line.indexOf(":");
    const name = line.slice(0, end);
    const hash = line.slice(end + 1).trim();
    if (end < 1 || !isHash(hash) || found.has(name)) throw wrong({ line: at + 1, reason: "" });
    found.set(name, hash);
  }
  return found;
}

/** The text of such a file. */
export function readSecrets(path: string, wrong: (trouble: LineTrouble) => Error): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw wrong({ reason: (cause as NodeJS.ErrnoException).code ?? "cannot be read", cause });
  }
}
