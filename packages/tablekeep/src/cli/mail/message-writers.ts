import { existsSync } from "node:fs";
import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MailMessage } from "@tablekeep/mail";
import { unwritableFile } from "../frame/cli-error.ts";
import { fileOutput, streamOutput, type TextSink } from "../frame/text-output.ts";
import { type FileMarks, headerOf } from "./file-message.ts";
import { maildirNames } from "./maildir-names.ts";
import { marksWriter } from "./marks-file.ts";
import { type MboxVariant, marksLines, mboxQuoting, noSender } from "./mbox-format.ts";

/** The formats of an export. */
export const exportFormats = ["eml", "maildir", "mailhog", "mboxrd", "mboxo"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Writes messages to a target, one after the other. */
export interface MessageWriter {
  write(message: MailMessage): Promise<void>;
  /** Completes the target. */
  end(): Promise<void>;
  /** Removes what is incomplete. Never rejects. */
  abandon(): Promise<void>;
}

/** Whether a format writes a single file instead of a folder. */
export function isMbox(format: ExportFormat): format is MboxVariant {
  return format === "mboxrd" || format === "mboxo";
}

/** Opens a folder for files, or an mbox file, which appears once it is complete. Only an mbox can be written to a stream. */
export async function openWriter(target: string | TextSink, format: ExportFormat): Promise<MessageWriter> {
  if (isMbox(format)) return mboxWriter(target, format);
  if (typeof target !== "string") throw new TypeError(`a stream cannot have the files of ${format}`);
  return folderWriter(target, format);
}

type FolderFormat = Exclude<ExportFormat, MboxVariant>;

/** Each message is a file named after its id, so that an export can be repeated. Its marks are stored before it. */
async function folderWriter(folder: string, format: FolderFormat): Promise<MessageWriter> {
  const parts = format === "maildir" ? ["tmp", "new", "cur"] : [""];
  for (const part of parts) await writing(folder, makeFolder(join(folder, part)));
  const names = format === "maildir" ? await writing(folder, maildirNames(folder)) : undefined;
  const marks = await writing(folder, marksWriter(folder));
  return {
    async write(message) {
      const name = fileNameOf(message, format);
      const { path = name, replaces } = names?.place(name, message.read) ?? {};
      const partial = join(
        folder,
        format === "maildir" ? "tmp" : "",
        format === "maildir" ? name : `.${name}.partial`,
      );
      const bytes = format === "mailhog" ? withEnvelope(message) : message.raw;
      const time = new Date(message.created);
      try {
        await writing(folder, writeFile(partial, bytes, { mode: 0o600 }));
        await writing(folder, utimes(partial, time, time));
        await writing(folder, marks.set(message.id, marksOf(message, format)));
        await writing(folder, rename(partial, join(folder, path)));
        if (replaces !== undefined) await writing(folder, rm(join(folder, replaces), { force: true }));
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {});
        throw error;
      }
    },
    end: () => writing(folder, marks.end()),
    abandon: async () => {},
  };
}

/** The marks of a message that its file cannot contain; undefined if an import sets the same marks by default. */
function marksOf({ read, tags, raw }: MailMessage, format: FolderFormat): FileMarks | undefined {
  const isTagged = tags.length > 0 || headerOf(raw, "x-tags") !== undefined;
  if (format === "maildir") return isTagged ? { tags } : undefined;
  return read || isTagged ? { read, tags } : undefined;
}

/**
 * Creates a folder, and those above it, for this user only. Does not use Node's `recursive`, which loops forever on a file system that
 * reports an existing folder as missing, as /proc does.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(path)) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    await makeFolder(parent);
    // Another process may be creating the same folders.
    await makeFolder(path);
  }
}

/** Ids of other layouts contain characters that file names must not contain. */
function fileNameOf({ id, created }: MailMessage, format: FolderFormat): string {
  const name = id.replace(/[^\w@=-]/g, "_");
  if (format === "maildir") return `${Math.floor(created / 1000)}.${name}.tablekeep`;
  return format === "eml" ? `${name}.eml` : name;
}

/** A file of MailHog's Maildir storage: lines with the envelope, an empty line, and the message. */
function withEnvelope({ envelope, raw }: MailMessage): Buffer {
  const { helo, from, to } = envelope;
  const line = (name: string, value: string) => `${name}:<${value.replace(/[\r\n]/g, "")}>\r\n`;
  const head = [line("HELO", helo), line("FROM", from), ...to.map((address) => line("TO", address)), "\r\n"];
  return Buffer.concat([Buffer.from(head.join("")), raw]);
}

async function mboxWriter(target: string | TextSink, variant: MboxVariant): Promise<MessageWriter> {
  if (typeof target === "string") await writing(target, makeFolder(dirname(target)));
  const output = typeof target === "string" ? await fileOutput(target) : streamOutput(target);
  return {
    write: (message) => output.write(mboxEntry(message, variant)),
    end: () => output.finish(),
    abandon: () => output.discard().catch(() => {}),
  };
}

/** A line with sender and time, lines with the marks, the message with LF as line ends and with quoted lines, and an empty line. */
function mboxEntry(message: MailMessage, variant: MboxVariant): Buffer {
  const { raw, envelope, created } = message;
  const { quote } = mboxQuoting[variant];
  const sender = /^[^\s\p{Cc}]+$/u.test(envelope.from) ? envelope.from : noSender;
  const time = new Date(created).toUTCString();
  const [, day, date, month, year, clock] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(time) ?? [];
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const quoted = lines.map((line) => line.replace(quote, ">$1")).join("\n");
  return Buffer.concat([
    Buffer.from(`From ${sender} ${day} ${month} ${String(Number(date)).padStart(2)} ${clock} ${year}\n`),
    Buffer.from(`${marksLines(message).join("\n")}\n${quoted}\n\n`, "latin1"),
  ]);
}

async function writing<Value>(target: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw unwritableFile(target, error);
  }
}
