import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Envelope } from "@tablekeep/mail";
import { readHeaders } from "@tablekeep/mail/mime";
import { CliError, unreadableFile } from "../frame/cli-error.ts";

/** A message to import. */
export interface FileMessage {
  /** Its location, for error messages: the file, and the position of the message if the file has several. */
  readonly place: string;
  readonly raw: Buffer;
  /** The SMTP envelope, if the source contains it. */
  readonly envelope?: Envelope;
  /** The sender of the envelope, if the source contains only that. */
  readonly sender?: string;
  /** Milliseconds since 1970 at which it was received, as the source says; NaN or undefined if it does not. */
  readonly created?: number;
  /** Its id in the source, if it has one. */
  readonly id?: string;
  /** Its position among the messages of the source with the same time, if these have an order. */
  readonly position?: number;
  /** The mbox file that contains it; undefined for a file of one message. */
  readonly mbox?: string;
}

/** The id and the time in a name that an export has made of an id. */
const exportedName = /^(?:\d+\.)?([0-7][0-9a-hjkmnp-tv-z]{25})(?:\.eml|\.tablekeep(?::2,[A-Z]*)?)?$/;

/** The id of an exported message, by the name of its file; undefined for other files. */
function exportedId(file: string): string | undefined {
  return exportedName.exec(basename(file))?.[1];
}

/**
 * How lines that begin with `From ` are quoted in an mbox file: `mboxrd` adds a `>` to those with any number of `>` before it,
 * `mboxo` only to those without one.
 */
export type MboxVariant = "mboxrd" | "mboxo";

/** The quoted line, and back, of each variant. */
export const mboxQuoting: Readonly<
  Record<MboxVariant, { readonly quote: RegExp; readonly unquote: RegExp }>
> = {
  mboxrd: { quote: /^(>*From )/, unquote: /^>(>*From )/ },
  mboxo: { quote: /^(From )/, unquote: /^>(From )/ },
};

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
  if (!found.isDirectory()) yield* messagesOfFile(path, variant);
  else for await (const file of filesUnder(path)) yield* messagesOfTree(file, variant);
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
async function* messagesOfFile(
  file: string,
  variant: MboxVariant,
): AsyncGenerator<FileMessage, void, undefined> {
  const kind = (await kindOf(file)) ?? ((await readHead(file)) === "" ? undefined : "message");
  if (kind !== undefined) yield* messagesIn(file, kind, variant);
}

async function* messagesOfTree(
  file: string,
  variant: MboxVariant,
): AsyncGenerator<FileMessage, void, undefined> {
  const kind = await kindOf(file);
  if (kind !== undefined) yield* messagesIn(file, kind, variant);
}

/** Returns undefined for a file without a message. */
async function kindOf(file: string): Promise<FileKind | undefined> {
  const head = await readHead(file);
  // The file's name decides, whatever the bytes of the message are.
  if (/\.(?:eml|tablekeep(?::2,[A-Z]*)?)$/.test(file) && exportedId(file) !== undefined) return "message";
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

/** A file that is larger holds no message that a store accepts. */
const maxFileBytes = 1_073_741_824;

async function* messagesIn(
  file: string,
  kind: FileKind,
  variant: MboxVariant,
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
  if (kind === "mailhog")
    // MailHog's own storage has no other time.
    yield { ...mailhogMessage(file, bytes), created: changed, id: id ?? basename(file) };
  else if (id !== undefined) yield { place: file, raw: bytes, created: changed, id };
  else yield { place: file, raw: bytes, created: deliveredAt(file) ?? sentAt(bytes) ?? changed };
}

/** The time in the name of a file in a Maildir. */
function deliveredAt(file: string): number | undefined {
  const [, seconds] = /^(\d{9,10})\./.exec(basename(file)) ?? [];
  const isDelivered = ["cur", "new"].includes(basename(dirname(file))) && seconds !== undefined;
  return isDelivered ? Number(seconds) * 1000 : undefined;
}

/** The time in the header of a message. */
function sentAt(raw: Uint8Array): number | undefined {
  const date = readHeaders(raw.subarray(0, headBytes * 16)).find(({ name }) => /^date$/i.test(name))?.value;
  const time = Date.parse((date ?? "").replace(/\([^()]*\)/g, " ").trim());
  return Number.isFinite(time) && time >= 0 ? time : undefined;
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

/**
 * The messages of an mbox file, one at a time. A line `From …` after an empty line, or at the beginning, starts one, and has its sender and
 * time. Programs that do not quote leave such lines in messages: these have neither a time in them nor a header field after them. The quoting of such lines in a message, `>From `, is undone. Lines end with CR LF, as they do on the wire.
 */
async function* mboxMessages(
  file: string,
  variant: MboxVariant,
): AsyncGenerator<FileMessage, void, undefined> {
  const { unquote } = mboxQuoting[variant];
  let lines: string[] | undefined;
  let start: Pick<FileMessage, "sender" | "created"> = {};
  let position = 0;
  let number = 0;
  let size = 0;
  const message = (taken: readonly string[]): FileMessage => {
    const raw = Buffer.from(
      withoutLineEnds(taken)
        .map((line) => `${line}\r\n`)
        .join(""),
      "latin1",
    );
    const { created = sentAt(raw) } = start;
    return { place: `${file}, message ${number}`, raw, ...start, created, position, mbox: file };
  };
  for await (const [line, next] of withNext(linesOf(file))) {
    const startsMessage =
      line.startsWith("From ") &&
      (lines === undefined || (isEmpty(lines.at(-1)) && (hasTime.test(line) || startsField.test(next))));
    if (!startsMessage) {
      size += line.length + 2;
      if (size > maxFileBytes) throw tooLarge(`${file}, message ${number}`);
      lines?.push(line.replace(unquote, "$1"));
      continue;
    }
    // The empty line before the next message is not a part of this one.
    if (lines !== undefined) yield message(lines.slice(0, -1));
    const before = start.created;
    start = startOf(line);
    position = number > 0 && start.created === before ? position + 1 : 0;
    lines = [];
    size = 0;
    number++;
  }
  if (lines !== undefined) yield message(isEmpty(lines.at(-1)) ? lines.slice(0, -1) : lines);
}

const hasTime = /\d:\d\d/;
const startsField = /^[!-9;-~]+[ \t]*:/;

/** Each line with the one after it; "" after the last. */
async function* withNext(
  lines: AsyncIterable<string>,
): AsyncGenerator<readonly [string, string], void, undefined> {
  let before: string | undefined;
  for await (const line of lines) {
    if (before !== undefined) yield [before, line];
    before = line;
  }
  if (before !== undefined) yield [before, ""];
}

function isEmpty(line: string | undefined): boolean {
  return line === "" || line === "\r";
}

/** Mail programs write a message as it is to a file whose other lines end with LF: the lines of its header, of its body or of both may end with CR LF. */
function withoutLineEnds(lines: readonly string[]): string[] {
  const bodyAt = lines.findIndex(isEmpty) + 1;
  return [lines.slice(0, bodyAt), lines.slice(bodyAt)].flatMap((part) => {
    const ended = part.filter((line) => line.endsWith("\r")).length;
    // A single line may end with a CR that belongs to it.
    return ended * 2 > part.length ? part.map((line) => line.replace(/\r$/, "")) : part;
  });
}

/**
 * Sender and time of a line `From ann@example.org Mon Jan  1 00:00:00 2024`, in UTC unless an offset is before or after the year; nothing of
 * other lines. Mail programs that do not know the sender write `-`, and some write the number of the message, `17@xxx`.
 */
function startOf(line: string): Pick<FileMessage, "sender" | "created"> {
  const [, sender, month, day, clock, before, year, after] =
    /^From (\S+) +\w{3} (\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:([+-]\d{4}) )?(\d{4})(?: ([+-]\d{4}))?$/.exec(
      line,
    ) ?? [];
  const created = Date.parse(`${day} ${month} ${year} ${clock} ${before ?? after ?? "GMT"}`);
  if (sender === undefined || !Number.isFinite(created)) return {};
  if (sender === "-" || /^\d+@xxx$/.test(sender)) return { created };
  return { sender: sender === noSender ? "" : Buffer.from(sender, "latin1").toString("utf8"), created };
}

/** Stands in mbox files for a sender that is empty. */
export const noSender = "MAILER-DAEMON";

/** The lines of a file without their ends: CR LF if the first one ends so, and LF otherwise. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  let rest = "";
  let end: RegExp | undefined;
  const chunks = createReadStream(file, "latin1")[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await readable(file, chunks.next());
    if (done === true) break;
    const lines = (rest + String(value)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      end ??= line.endsWith("\r") ? /\r$/ : /(?!)/;
      yield line.replace(end, "");
    }
  }
  if (rest !== "") yield rest;
}

function tooLarge(place: string): CliError {
  return new CliError("CLI_FILE_INVALID", `${place} is larger than ${maxFileBytes} bytes`);
}

async function readable<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw unreadableFile(path, error);
  }
}
