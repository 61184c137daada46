import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type FileMessage, maxFileBytes, readable, sentAt, tooLarge } from "./file-message.ts";
import { readStateIn } from "./maildir-names.ts";
import { marksReader, type ReadMarks } from "./marks-file.ts";
import type { MboxVariant } from "./mbox-format.ts";
import { mboxMessages } from "./mbox-messages.ts";

/** The id and the time in a file name that an export has derived from an id. */
const exportedName =
  /^(?:\d+\.)?([0-7][0-9a-hjkmnp-tv-z]{25})(?:\.eml|\.tablekeep(?:,[A-Z]=\d+)*(?::2,[A-Za-z]*)?)?$/;

/** The id of an exported message, by the name of its file; undefined for other files. */
function exportedId(file: string): string | undefined {
  return exportedName.exec(basename(file))?.[1];
}

/** The format of a file, by its name and its first bytes. */
type FileKind = "message" | "mbox" | "mailhog";

/** Enough to see the first line of a message. */
const headBytes = 4096;

/**
 * The messages of a file, or of a folder and all folders in it: files of one message, such as .eml files and those of a
 * Maildir; files of MailHog's Maildir storage, with their envelope; mbox files. Other files in a folder are skipped.
 */
export async function* messagesAt(
  path: string,
  variant: MboxVariant = "mboxrd",
): AsyncGenerator<FileMessage, void, undefined> {
  const found = await readable(path, stat(path));
  const source = { variant, marksOf: marksReader() };
  if (!found.isDirectory()) yield* messagesOfFile(path, source);
  else for await (const file of filesUnder(path)) yield* messagesOfTree(file, source);
}

interface Source {
  readonly variant: MboxVariant;
  readonly marksOf: ReadMarks;
}

async function* filesUnder(folder: string): AsyncGenerator<string, void, undefined> {
  const entries = await readable(folder, readdir(folder, { withFileTypes: true }));
  const names = new Set(entries.map(({ name }) => name));
  const isMaildir = names.has("cur") && names.has("new");
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    // Messages that are still being delivered.
    if (isMaildir && entry.name === "tmp") continue;
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}

/** A file that the user names is a message, whatever it begins with, unless it is empty. */
async function* messagesOfFile(file: string, source: Source): AsyncGenerator<FileMessage, void, undefined> {
  const kind = (await kindOf(file)) ?? ((await readHead(file)) === "" ? undefined : "message");
  if (kind !== undefined) yield* messagesIn(file, kind, source);
}

async function* messagesOfTree(file: string, source: Source): AsyncGenerator<FileMessage, void, undefined> {
  const kind = await kindOf(file);
  if (kind !== undefined) yield* messagesIn(file, kind, source);
}

/** Returns undefined for a file without a message. */
async function kindOf(file: string): Promise<FileKind | undefined> {
  const head = await readHead(file);
  // The file's name decides, whatever the bytes of the message are.
  if (/\.(?:eml|tablekeep[^.]*)$/.test(file) && exportedId(file) !== undefined) return "message";
  if (head === "") return undefined;
  if (/^(HELO|FROM|TO):<[^\r\n]*>\r?\n/.test(head)) return "mailhog";
  if (/^From [^\r\n]*\r?\n/.test(head)) return "mbox";
  if (/\.eml$/i.test(file) || ["cur", "new"].includes(basename(dirname(file)))) return "message";
  // The name of a header field and a colon. Names could have other characters, but then JSON and addresses of pages would begin with one.
  return /^[A-Za-z0-9][\w.-]*[ \t]*:(?!\/\/)/.test(head) ? "message" : undefined;
}

async function readHead(file: string): Promise<string> {
  const handle = await readable(file, open(file));
  try {
    const { bytesRead, buffer } = await readable(file, handle.read(Buffer.alloc(headBytes), 0, headBytes, 0));
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function* messagesIn(
  file: string,
  kind: FileKind,
  { variant, marksOf }: Source,
): AsyncGenerator<FileMessage, void, undefined> {
  if (kind === "mbox") {
    yield* mboxMessages(file, variant);
    return;
  }
  const { size, mtimeMs } = await readable(file, stat(file));
  if (size > maxFileBytes) throw tooLarge(file);
  const bytes = await readable(file, readFile(file));
  const changed = Math.floor(mtimeMs);
  const id = exportedId(file);
  const read = readStateIn(file);
  const marks = {
    ...(id !== undefined && (await marksOf(file, id))),
    ...(read !== undefined && { read }),
  };
  if (kind === "mailhog")
    // MailHog's own storage has no other time.
    yield { ...mailhogMessage(file, bytes), created: changed, id: id ?? basename(file), marks };
  else if (id !== undefined) yield { place: file, raw: bytes, created: changed, id, marks };
  else yield { place: file, raw: bytes, created: deliveredAt(file) ?? sentAt(bytes) ?? changed, marks };
}

/** The time in the name of a file in a Maildir. */
function deliveredAt(file: string): number | undefined {
  const [, seconds] = /^(\d{9,10})\./.exec(basename(file)) ?? [];
  const isDelivered = ["cur", "new"].includes(basename(dirname(file))) && seconds !== undefined;
  return isDelivered ? Number(seconds) * 1000 : undefined;
}

/** MailHog writes the envelope before the message: lines HELO:<…>, FROM:<…> and TO:<…>, and an empty one. */
function mailhogMessage(place: string, bytes: Buffer): FileMessage {
  const text = bytes.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const valuesOf = (name: string) =>
    head
      .split(/\r?\n/)
      .filter((line) => line.startsWith(`${name}:<`) && line.endsWith(">"))
      .map((line) => Buffer.from(line.slice(name.length + 2, -1), "latin1").toString("utf8"));
  const [helo = ""] = valuesOf("HELO");
  const [from = ""] = valuesOf("FROM");
  const raw = bytes.subarray(end === null ? bytes.length : end.index + end[0].length);
  return { place, raw, envelope: { helo, from, to: valuesOf("TO") } };
}
