import { readFileSync } from "node:fs";
import { jsonFileReason } from "../file-reason.ts";

/** What every web hook in a file has. */
export interface HookTarget {
  /** Its name in logs, and of its position in the store. */
  readonly name: string;
  readonly url: string;
  /** The key of the signatures: `whsec_` and base64, or any other string. @default none: not signed */
  readonly secret?: string;
}

/** One entry of a file of web hooks. */
export interface HookEntry {
  readonly target: HookTarget;
  /** Returns another field. Throws unless it is a non-empty string or missing. */
  text(field: string): string | undefined;
  /** The error for this entry. `reason` continues its name: "must have …". */
  wrong(reason: string): Error;
}

/** How to read a file of web hooks. */
export interface HookEntriesOptions {
  /** What an entry is called in messages. */
  readonly noun: string;
  /** The fields beside name, url and secret. */
  readonly fields: readonly string[];
  /** Makes the error for the file. */
  readonly invalid: (reason: string, cause?: unknown) => Error;
}

const maxEntries = 100;

/** Reads a file of web hooks: a JSON array of objects. Errors never contain secrets. */
export function readHookEntries(path: string, options: HookEntriesOptions): readonly HookEntry[] {
  const { noun, invalid } = options;
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(jsonFileReason(error), error);
  }
  if (!Array.isArray(document)) throw invalid(`it must be an array of ${noun}s`);
  if (document.length > maxEntries) throw invalid(`it has more than ${maxEntries} ${noun}s`);
  const entries = document.map((entry: unknown, at) =>
    parseEntry(entry, options, (reason) => invalid(`${noun} ${at + 1} ${reason}`)),
  );
  if (new Set(entries.map(({ target }) => target.name)).size < entries.length)
    throw invalid(`two ${noun}s have the same name`);
  return entries;
}

function parseEntry(
  given: unknown,
  { fields }: HookEntriesOptions,
  wrong: (reason: string) => Error,
): HookEntry {
  if (typeof given !== "object" || given === null) throw wrong("must be an object");
  const entry = given as Readonly<Record<string, unknown>>;
  const known = ["name", "url", "secret", ...fields];
  const other = Object.keys(entry).find((field) => !known.includes(field));
  if (other !== undefined) throw wrong(`has the unknown field ${JSON.stringify(other)}`);
  const text = (field: string): string | undefined => {
    const value = entry[field];
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    throw wrong(`has a field ${field} that is not a non-empty string`);
  };
  const [name, url, secret] = [text("name"), text("url"), text("secret")];
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name))
    throw wrong("must have a name of 1 to 64 letters, digits or _ . -");
  if (url === undefined || !/^https?:\/\/[^\s]+$/.test(url) || !URL.canParse(url))
    throw wrong("must have a url that begins with http:// or https://");
  return { target: { name, url, ...(secret !== undefined && { secret }) }, text, wrong };
}
