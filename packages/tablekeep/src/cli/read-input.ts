import { CliError } from "./cli-error.ts";
import type { CommandIo } from "./command-context.ts";

/** Reads stdin to its end, if that is no further than `limit` bytes. */
export async function readInput({ stdin }: CommandIo, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stdin ?? []) {
    length += part.length;
    if (length > limit) throw new CliError("CLI_FILE_INVALID", `the input is longer than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
