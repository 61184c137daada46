import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";

/** The read state in the name of a file in a Maildir, such as `1700000000.M1.host:2,S`; undefined if it has no flags. */
export function readStateIn(file: string): boolean | undefined {
  return flagsIn(file)?.includes("S");
}

function flagsIn(name: string): string | undefined {
  return /:2,([A-Za-z]*)$/.exec(name)?.[1];
}

/** Where messages of a Maildir are stored. */
export interface MaildirNames {
  /** The path for a message in the Maildir, and the path of its existing file if that is different. */
  place(name: string, read: boolean): { readonly path: string; readonly replaces?: string };
}

/**
 * Reads the names in a Maildir. Mail programs move files from `new` to `cur` and add flags, which are kept, except for the flag of the read
 * state.
 */
export async function maildirNames(folder: string): Promise<MaildirNames> {
  const present = new Map<string, string>();
  for (const part of ["new", "cur"])
    for (const file of await readdir(join(folder, part))) present.set(uniqueName(file), join(part, file));
  return {
    place(name, read) {
      const before = present.get(name);
      const flags = before === undefined ? undefined : flagsIn(before);
      const path =
        read || flags !== undefined
          ? join("cur", `${baseOf(before) ?? name}:2,${withSeen(flags ?? "", read)}`)
          : (before ?? join("new", name));
      present.set(name, path);
      return before === undefined || before === path ? { path } : { path, replaces: before };
    },
  };
}

/** The name without flags, and without the size that Dovecot adds. */
function uniqueName(file: string): string {
  return file.replace(/(?:,[A-Z]=\d+)*(?::2,.*)?$/, "");
}

function baseOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : basename(path).replace(/:2,.*$/, "");
}

/** Flags are in the order of their characters. */
function withSeen(flags: string, read: boolean): string {
  const others = flags.replaceAll("S", "");
  return `${others}${read ? "S" : ""}`.split("").sort().join("");
}
