import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { busy, malformed, tooLarge } from "./wire-exceptions.ts";

/** Limits on request bodies in memory, in bytes. */
export interface BodyLimits {
  /** The longest body. AWS: BatchWriteItem — 16 MB over the network. */
  readonly one: number;
  /** All bodies together, while they are read and processed. */
  readonly together: number;
  /** How much of an oversized body is read, so that its sender gets a response instead of a broken connection. */
  readonly dropped: number;
}

export const defaultBodyLimits: BodyLimits = {
  one: 16 * 1024 * 1024,
  together: 512 * 1024 * 1024,
  dropped: 64 * 1024 * 1024,
};

/** The bodies of the requests in flight, within limits. */
export class RequestBodies {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits = defaultBodyLimits) {
    this.#limits = limits;
  }

  /** Reads the whole body and passes it to `use`; it counts as memory in use until `use` ends. */
  async with<Result>(request: IncomingMessage, use: (body: Buffer) => Promise<Result>): Promise<Result> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      await this.#collect(request, (chunk) => {
        chunks.push(chunk);
        bytes += chunk.length;
        this.#held += chunk.length;
      });
      return await use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    } finally {
      this.#held -= bytes;
    }
  }

  #collect(request: IncomingMessage, keep: (chunk: Buffer) => void): Promise<void> {
    const { one, together, dropped } = this.#limits;
    return new Promise((resolve, reject) => {
      let bytes = 0;
      let ended = false;
      let rejection: Error | undefined;
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > one) rejection = tooLarge();
        else if (this.#held + chunk.length > together) rejection ??= busy();
        if (rejection === undefined) keep(chunk);
        else if (bytes > one + dropped) request.destroy();
      });
      request.on("end", () => {
        ended = true;
        if (rejection === undefined) resolve();
        else reject(rejection);
      });
      request.on("error", reject);
      // Every request closes; only an incomplete one is an error.
      request.on("close", () => ended || reject(rejection ?? malformed()));
    });
  }
}

const unzip = promisify(gunzip);

/** Decompresses a body. */
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
