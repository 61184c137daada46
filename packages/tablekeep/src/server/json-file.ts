import { readFileSync } from "node:fs";
import { jsonFileReason } from "./file-reason.ts";

/** Details of an invalid settings file. */
export interface InvalidFileDetails {
  readonly path: string;
  readonly reason: string;
  /** The JSON Pointer of the value to correct, such as `/0/url`. Missing if the file cannot be read or is not JSON. */
  readonly pointer?: string;
}

/** Returns the error for a value in a file. */
export type InvalidFile = (reason: string, pointer?: string, cause?: unknown) => Error;

/** A JSON object in a file. */
export type Members = Readonly<Record<string, unknown>>;

/** One object of an array in a file. */
export interface FileEntry {
  readonly members: Members;
  /** Returns a member. Throws unless it is a non-empty string or missing. */
  text(member: string): string | undefined;
  /** The error for this entry, or for a member of it. `reason` continues its name: "must have …". */
  wrong(reason: string, member?: string): Error;
}

/** How to read a file that contains an array of objects. */
export interface FileEntriesOptions {
  /** The name of an entry in messages. */
  readonly noun: string;
  readonly known: readonly string[];
  /** @default any number */
  readonly maxEntries?: number;
  readonly invalid: InvalidFile;
}

/** Reads a JSON file. */
export function readJsonFile(path: string, invalid: InvalidFile): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(jsonFileReason(error), undefined, error);
  }
}

/** Reads a JSON file: an array of objects with known members. */
export function readFileEntries(path: string, options: FileEntriesOptions): readonly FileEntry[] {
  const { noun, maxEntries = Number.POSITIVE_INFINITY, invalid } = options;
  const document = readJsonFile(path, invalid);
  if (!Array.isArray(document)) throw invalid(`it must be an array of ${noun}s`, "");
  if (document.length > maxEntries) throw invalid(`it has more than ${maxEntries} ${noun}s`, "");
  return document.map((given: unknown, at) => {
    const wrong = (reason: string, member?: string) =>
      invalid(`${noun} ${at + 1} ${reason}`, pointerTo(at, ...(member === undefined ? [] : [member])));
    return {
      members: entryMembers(given, options.known, wrong),
      wrong,
      text: textIn(given as Members, wrong),
    };
  });
}

function entryMembers(given: unknown, known: readonly string[], wrong: FileEntry["wrong"]): Members {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong("must be an object");
  const other = Object.keys(given).find((member) => !known.includes(member));
  if (other === undefined) return given as Members;
  throw wrong(`has the unknown field ${JSON.stringify(other)}; expected one of ${known.join(", ")}`, other);
}

const textIn = (members: Members, wrong: FileEntry["wrong"]) => (member: string) => {
  const value = members[member];
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw wrong(`must have a non-empty string as ${member}`, member);
};

/** Returns the members of an object in a file. Throws for unknown ones. `where` begins the message: "types[0]". */
export function membersOf(
  value: unknown,
  {
    where,
    pointer,
    known,
  }: { readonly where: string; readonly pointer: string; readonly known: readonly string[] },
  invalid: InvalidFile,
): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(`${where} must be an object`, pointer);
  const other = Object.keys(value).find((member) => !known.includes(member));
  if (other === undefined) return value as Members;
  const reason = `${where} has the unknown member ${other}; expected one of ${known.join(", ")}`;
  throw invalid(reason, pointer + pointerTo(other));
}

/** The JSON Pointer (RFC 6901) of a value: `pointerTo(0, "url")` is `/0/url`. */
export function pointerTo(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
