import { randomUUID } from "node:crypto";
import { chmod, chown, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CliError, unreadableFile, unwritableFile } from "../frame/cli-error.ts";

/** A line to add to a file of users or tokens. */
export interface SecretLine {
  readonly name: string;
  readonly hash: string;
  /** Whether a line with the same name is replaced. Otherwise it is an error. */
  readonly replace: boolean;
}

/**
 * Adds `name:hash` to a file, and creates the file if it is missing. `parse` returns the names that are in it, or throws
 * if a server would reject it. The file is replaced in one step, and one process at a time changes it.
 */
export async function addSecret(
  given: string,
  line: SecretLine,
  parse: (text: string, path: string) => ReadonlyMap<string, string>,
): Promise<{ readonly path: string; readonly replaced: boolean }> {
  // Keeps a link.
  const path = await realpath(given).catch(() => resolve(given));
  const unlock = await lock(path);
  try {
    const before = await textOf(path);
    const replaced = parse(before, path).has(line.name);
    if (replaced && !line.replace)
      throw new CliError(
        "CLI_NAME_TAKEN",
        `${path} already has ${line.name}: choose another name, or pass --replace`,
      );
    const kept = before.split(/\r?\n/).filter((each) => each !== "" && !each.startsWith(`${line.name}:`));
    const text = `${[...kept, `${line.name}:${line.hash}`].join("\n")}\n`;
    parse(text, path);
    await replaceFile(path, text);
    return { path, replaced };
  } finally {
    await unlock();
  }
}

async function lock(path: string): Promise<() => Promise<void>> {
  const file = `${path}.lock`;
  try {
    await (await open(file, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new CliError(
        "CLI_FILE_LOCKED",
        `another command changes ${path}: wait for it, or remove ${file} if it was interrupted`,
      );
    throw unwritableFile(path, error);
  }
  return () => rm(file, { force: true });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw unreadableFile(path, error);
  }
}

/** Writes a copy, flushes it and renames it. Owner and permissions stay; a new file is readable by its owner only. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    const old = await stat(path).catch(() => undefined);
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (old !== undefined) {
      await chmod(draft, old.mode & 0o777);
      // Only root may give a file away; any other user already owns the file.
      await chown(draft, old.uid, old.gid).catch(() => {});
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritableFile(path, error);
  }
}
