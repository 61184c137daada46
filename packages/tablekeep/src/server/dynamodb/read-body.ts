import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { malformed, tooLarge } from "./to-wire-exception.ts";

/** DynamoDB takes 16 MB of items; their JSON, with bytes as base64, may be half as large again. */
const maxBodyBytes = 32 * 1024 * 1024;

const unzip = promisify(gunzip);

/** The whole body of a request, unpacked if it came packed. Reads no further than the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const body = await collect(request);
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding !== "gzip") throw malformed();
  try {
    return await unzip(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLarge() : malformed();
  }
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      // The rest is read and dropped, so that the client gets its answer instead of a broken connection.
      else chunks.length = 0;
    });
    request.on("end", () => {
      if (bytes > maxBodyBytes) reject(tooLarge());
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on("error", reject);
    request.on("close", () => reject(malformed()));
  });
}
