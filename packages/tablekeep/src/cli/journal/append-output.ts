import { open } from "node:fs/promises";
import { CliError } from "../cli-error.ts";
import type { DumpOutput } from "../tables/dump-output.ts";

/**
 * A file that grows, so that what was written stays if the work is cut off: a new one, or one that is cut to `keepBytes`
 * and gone on with. It is never written over.
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
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it is there already" : (code ?? message);
    throw new CliError("CLI_OUTPUT_FAILED", `cannot write ${path}: ${reason}`, error);
  }
}
