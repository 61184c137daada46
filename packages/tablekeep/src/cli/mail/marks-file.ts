import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type FileMarks, readable } from "./file-message.ts";

/** The file beside exported messages with the marks that their own files cannot contain: JSON lines `{"id":…,"read":…,"tags":[…]}`. */
const fileName = "marks.jsonl";

/** Writes the marks of messages to a folder. Those of an earlier export to it are kept. */
export interface MarksWriter {
  /** Stores the marks of a message; undefined if an import does not need them. The last call for a message counts. */
  set(id: string, marks: FileMarks | undefined): Promise<void>;
  /** Leaves one line for each message, in order, or no file if there are none. */
  end(): Promise<void>;
}

export async function marksWriter(folder: string): Promise<MarksWriter> {
  const path = join(folder, fileName);
  const known = await readMarks(folder);
  const write = async () => {
    const ids = [...known.keys()].sort();
    if (ids.length === 0) return rm(path, { force: true });
    const partial = join(folder, `.${fileName}.partial`);
    await writeFile(partial, ids.map((id) => lineOf(id, known.get(id) ?? {})).join(""), { mode: 0o600 });
    await rename(partial, path);
  };
  // An interrupted export may have left an incomplete line, to which another must not be added.
  if (known.size > 0) await write();
  return {
    async set(id, marks) {
      if (marks === undefined && !known.has(id)) return;
      if (marks === undefined) known.delete(id);
      else known.set(id, marks);
      await appendFile(path, lineOf(id, marks ?? {}), { mode: 0o600 });
    },
    end: write,
  };
}

function lineOf(id: string, marks: FileMarks): string {
  return `${JSON.stringify({ id, ...marks })}\n`;
}

/** Returns the marks of an exported message, by its file and its id, of the folder or the Maildir that contains it. */
export type ReadMarks = (file: string, id: string) => Promise<FileMarks | undefined>;

/** Reads the marks of each folder once. */
export function marksReader(): ReadMarks {
  const folders = new Map<string, Promise<ReadonlyMap<string, FileMarks>>>();
  return async (file, id) => {
    const parent = dirname(file);
    const folder = ["cur", "new"].includes(basename(parent)) ? dirname(parent) : parent;
    const marks = folders.get(folder) ?? readMarks(folder);
    folders.set(folder, marks);
    return (await marks).get(id);
  };
}

/** The marks in a folder, by id. Lines that are incomplete, or that are not marks, are skipped. */
async function readMarks(folder: string): Promise<Map<string, FileMarks>> {
  const path = join(folder, fileName);
  const marks = new Map<string, FileMarks>();
  const text = await readable(
    path,
    readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    }),
  );
  for (const line of text.split("\n")) {
    const { id, read, tags } = parsed(line);
    if (typeof id !== "string") continue;
    marks.set(id, {
      ...(typeof read === "boolean" && { read }),
      ...(Array.isArray(tags) && { tags: tags.map(String) }),
    });
  }
  return marks;
}

function parsed(line: string): { readonly id?: unknown; readonly read?: unknown; readonly tags?: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
