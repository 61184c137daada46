import { randomUUID } from "node:crypto";
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { unwritableFile } from "./cli-error.ts";

/** The part of a writable stream that a command uses. */
export interface TextSink {
  /** Returns false if the writer should wait for `drain`. */
  write(text: string | Uint8Array): unknown;
  once?(event: "drain" | "close", listener: () => void): unknown;
  off?(event: "drain" | "close", listener: () => void): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** The width of the terminal, in characters. */
  readonly columns?: number;
}

/** Whether colors are written to a sink: a terminal that shows them, unless `NO_COLOR` is set. */
export function hasColors({ isTTY }: TextSink, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** A line, cut to the width if the output is a terminal. */
export function fitted(line: string, sink: TextSink): string {
  return cutTo(line, columnsOf(sink));
}

/** The width of a terminal, in columns; unlimited for anything else. */
export function columnsOf({ isTTY, columns = 0 }: TextSink): number {
  return isTTY === true && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Characters that terminals show in two columns: those of East Asian scripts, full-width forms, and emoji. */
const wide =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\u30a0-\u31ff\uff01-\uff60\uffe0-\uffe6])|\ufe0f/u;

function charactersOf(text: string): { readonly segment: string; readonly width: number }[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => ({
    segment,
    width: wide.test(segment) ? 2 : 1,
  }));
}

/** Returns the number of columns that a string occupies on a terminal. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return charactersOf(text).reduce((sum, { width }) => sum + width, 0);
}

/** Cuts a string to a number of columns. A shortened string ends with `…`. */
export function cutTo(text: string, columns: number): string {
  if (text.length * 2 <= columns || widthOf(text) <= columns) return text;
  let cut = "";
  let left = columns - 1;
  for (const { segment, width } of charactersOf(text)) {
    left -= width;
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** The target of a dump. */
export interface DumpOutput {
  write(text: string | Uint8Array): Promise<void>;
  /** Makes the dump visible. */
  finish(): Promise<void>;
  /** Removes what was written, if possible. */
  discard(): Promise<void>;
}

/** A stream: written data cannot be removed. */
export function streamOutput(sink: TextSink): DumpOutput {
  return {
    async write(text) {
      if (sink.write(text) !== false || sink.once === undefined) return;
      await new Promise<void>((resolve) => {
        const goOn = () => {
          sink.off?.("drain", goOn);
          sink.off?.("close", goOn);
          resolve();
        };
        sink.once?.("drain", goOn);
        sink.once?.("close", goOn);
      });
    },
    finish: async () => {},
    discard: async () => {},
  };
}

/**
 * A file that is written completely or not at all: to a temporary file, flushed, then renamed. Other targets, such as a pipe or
 * a device such as /dev/stdout, are written directly: a rename would replace them.
 */
export async function fileOutput(given: string): Promise<DumpOutput> {
  const found = await stat(given).catch(() => undefined);
  if (found !== undefined && !found.isFile() && !found.isDirectory()) return straightOutput(given);
  // Keeps a link.
  const path = found === undefined ? given : await guarded(given, realpath(given));
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  const file = await guarded(path, open(draft, "wx", 0o600));
  const abandon = async () => {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
  };
  return {
    write: async (text) => {
      await guarded(path, file.writeFile(text));
    },
    finish: () => guarded(path, moveIntoPlace(file, draft, path)),
    discard: abandon,
  };
}

async function straightOutput(path: string): Promise<DumpOutput> {
  const file = await guarded(path, open(path, "w"));
  return {
    write: async (text) => {
      await guarded(path, file.writeFile(text));
    },
    finish: () => guarded(path, file.close()),
    discard: () => file.close().catch(() => {}),
  };
}

async function moveIntoPlace(file: FileHandle, draft: string, path: string): Promise<void> {
  await file.sync();
  await file.close();
  await rename(draft, path);
}

async function guarded<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw unwritableFile(path, error);
  }
}
