import { isTablekeepError } from "@tablekeep/core";
import { CliError } from "../cli-error.ts";

/** The bytes of a file; a failure of the disk is told as an error of the command line. */
export async function* readable(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of chunks) {
      onBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    if (isTablekeepError(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${file}: ${code ?? message}`, error);
  }
}
