import { open } from "node:fs/promises";
import { isTablekeepError } from "@tablekeep/core";
import { CliError } from "../cli-error.ts";

/** A file that is open for reading. */
export interface ReadableFile extends AsyncDisposable {
  /** Whether it is a file on a disk, which can be read more than once; a pipe cannot. */
  readonly isFile: boolean;
  /** Its bytes, from the beginning. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** Opens a file at once, so that one that cannot be read is reported before anything else is done. */
export async function openReadable(file: string): Promise<ReadableFile> {
  const handle = await reading(file, () => open(file));
  const isFile = (await handle.stat()).isFile();
  return {
    isFile,
    async *chunks() {
      const place = { autoClose: false, ...(isFile && { start: 0 }) };
      const stream = handle.createReadStream(place)[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await reading(file, () => stream.next());
        if (done) return;
        yield value as Uint8Array;
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
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${file}: ${code ?? message}`, error);
  }
}
