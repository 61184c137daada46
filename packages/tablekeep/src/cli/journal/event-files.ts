import { open } from "node:fs/promises";
import { isTablekeepError } from "@tablekeep/core";
import { unreadableFile, unwritableFile } from "../frame/cli-error.ts";
import type { DumpOutput } from "../frame/text-output.ts";

/**
 * A file that is appended to, so that written data stays if the work is interrupted: a new one, or one that is truncated to
 * `keepBytes` and continued. It is never overwritten.
 */
export async function appendOutput(path: string, keepBytes?: number): Promise<DumpOutput> {
  const file = await guarded(path, open(path, keepBytes === undefined ? "wx" : "r+", 0o600));
  let at = keepBytes ?? 0;
  if (keepBytes !== undefined) await guarded(path, file.truncate(keepBytes));
  const close = async () => {
    try {
      await guarded(path, file.sync());
    } finally {
      await guarded(path, file.close());
    }
  };
  return {
    async write(text) {
      const bytes = Buffer.from(text);
      for (let sent = 0; sent < bytes.length; ) {
        const { bytesWritten } = await guarded(path, file.write(bytes, sent, bytes.length - sent, at));
        sent += bytesWritten;
        at += bytesWritten;
      }
    },
    finish: close,
    discard: close,
  };
}

async function guarded<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw unwritableFile(path, error);
  }
}

/** A file opened for reading. */
export interface ReadableFile extends AsyncDisposable {
  /** Whether it is a regular file, which can be read more than once, unlike a pipe. */
  readonly isFile: boolean;
  /** The part that the current read has reached, from 0 to 1; undefined if unknown. */
  readonly partRead: number | undefined;
  /** Its bytes, from the beginning. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** Opens a file at once, so that an unreadable file is reported before anything else is done. */
export async function openReadable(file: string): Promise<ReadableFile> {
  const handle = await reading(file, () => open(file));
  const stats = await handle.stat();
  const isFile = stats.isFile();
  let read = 0;
  return {
    isFile,
    get partRead() {
      return isFile && stats.size > 0 ? read / stats.size : undefined;
    },
    async *chunks() {
      read = 0;
      const place = { autoClose: false, ...(isFile && { start: 0 }) };
      const stream = handle.createReadStream(place)[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await reading(file, () => stream.next());
        if (done) return;
        const chunk = value as Uint8Array;
        read += chunk.length;
        yield chunk;
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Reports a failure of the disk as an error of the command line. */
async function reading<Value>(file: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (isTablekeepError(error)) throw error;
    throw unreadableFile(file, error);
  }
}
