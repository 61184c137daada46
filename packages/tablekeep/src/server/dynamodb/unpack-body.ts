import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { malformed, tooLarge } from "./wire-refusals.ts";

const unzip = promisify(gunzip);

/** The body as it was before its sender packed it. */
export async function unpackBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding !== "gzip") throw malformed();
  try {
    return await unzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : malformed();
  }
}
