import { type FileEntry, type InvalidFile, readFileEntries } from "../json-file.ts";

/** The common fields of web hooks in a file. */
export interface HookTarget {
  /** Its name in logs, which is also that of its stored position. */
  readonly name: string;
  readonly url: string;
  /** The key of the signatures: `whsec_` and base64, or any other string. @default none: not signed */
  readonly secret?: string;
}

/** One entry of a file of web hooks. */
export interface HookEntry extends Pick<FileEntry, "text" | "wrong"> {
  readonly target: HookTarget;
}

/** How to read a file of web hooks. */
export interface HookEntriesOptions {
  /** The name of an entry in messages. */
  readonly noun: string;
  /** The fields beside name, url and secret. */
  readonly fields: readonly string[];
  /** Returns the error for the file. */
  readonly invalid: InvalidFile;
}

const maxEntries = 100;

/** Reads a file of web hooks: a JSON array of objects. Errors never contain secrets. */
export function readHookEntries(
  path: string,
  { noun, fields, invalid }: HookEntriesOptions,
): readonly HookEntry[] {
  const known = ["name", "url", "secret", ...fields];
  const names = new Set<string>();
  return readFileEntries(path, { noun, known, maxEntries, invalid }).map(({ text, wrong }) => {
    const [name, url, secret] = [text("name"), text("url"), text("secret")];
    if (name === undefined || !/^[\w.-]{1,64}$/.test(name))
      throw wrong("must have a name of 1 to 64 letters, digits or _ . -", "name");
    if (names.has(name)) throw wrong(`must have another name: an earlier ${noun} is ${name}`, "name");
    names.add(name);
    if (url === undefined || !/^https?:\/\/[^\s]+$/.test(url) || !URL.canParse(url))
      throw wrong("must have a url that begins with http:// or https://", "url");
    return { target: { name, url, ...(secret !== undefined && { secret }) }, text, wrong };
  });
}
