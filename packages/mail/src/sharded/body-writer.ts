import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import { type BatchWriteEntry, batchWrite } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { expiryOf, type MailContext, mailCall } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import { overviewBytes } from "../mime/read-overview.ts";
import { marginSeconds } from "./hours.ts";
import { chunkKey, keyNames } from "./keys.ts";
import { chunkBytes, packChunk } from "./pack-chunk.ts";

/** How many chunks of one message are on their way at once. More bytes wait. */
const maxUnderWay = 2;

/** The bytes of one message on their way into the table. */
export interface BodyWriter {
  readonly body: string;
  readonly size: number;
  write(bytes: Uint8Array): Promise<void>;
  /** The last chunk, which the caller writes, and what is known of the whole. */
  end(): Promise<WrittenBody>;
  /** Removes what was written. Never rejects. */
  discard(): Promise<void>;
}

export interface WrittenBody {
  readonly chunks: number;
  readonly checksum: number;
  /** The first MiB. */
  readonly head: Uint8Array;
  /** Still to be written; undefined for a message without bytes. */
  readonly lastChunk: Item | undefined;
}

/** Cuts bytes into chunks and writes each when it is full. */
export function bodyWriter(context: MailContext, options: CallOptions = {}): BodyWriter {
  const body = randomUUID();
  const expires = expiryOf(context, context.clock.now()) + marginSeconds;
  const head: Uint8Array[] = [];
  const underWay = new Set<Promise<void>>();
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let size = 0;
  let checksum = 0;
  let chunks = 0;
  let failure: { readonly error: unknown } | undefined;

  const takeChunk = (bytes: Uint8Array): number => {
    if (chunks * chunkBytes < overviewBytes) head.push(bytes);
    checksum = crc32(bytes, checksum);
    return chunks++;
  };
  const send = (bytes: Uint8Array) => {
    const index = takeChunk(bytes);
    const sent = (async () => {
      const Item = await packChunk(body, index, bytes, expires);
      await context.port.putItem({ TableName: context.table, Item }, mailCall(context, options));
    })().catch((error: unknown) => {
      failure ??= { error };
    });
    underWay.add(sent);
    void sent.then(() => underWay.delete(sent));
  };
  const check = () => {
    if (failure !== undefined) throw failure.error;
  };
  const joined = () =>
    pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending, pendingBytes);
  const drain = async () => {
    const bytes = joined();
    let at = 0;
    for (; bytes.length - at > chunkBytes; at += chunkBytes) {
      while (underWay.size >= maxUnderWay) await Promise.race(underWay);
      check();
      send(bytes.subarray(at, at + chunkBytes));
    }
    pending = [bytes.subarray(at)];
    pendingBytes = bytes.length - at;
  };
  return {
    body,
    get size() {
      return size;
    },
    async write(bytes) {
      check();
      size += bytes.length;
      if (size > context.maxMessageBytes) throw tooLarge(context.maxMessageBytes);
      pending.push(Uint8Array.prototype.slice.call(bytes));
      pendingBytes += bytes.length;
      if (pendingBytes > chunkBytes) await drain();
    },
    async end() {
      const bytes = joined();
      const index = bytes.length > 0 ? takeChunk(bytes) : undefined;
      const lastChunk = index === undefined ? undefined : await packChunk(body, index, bytes, expires);
      await Promise.all(underWay);
      check();
      return { chunks, checksum, head: head[1] === undefined ? bytes : Buffer.concat(head), lastChunk };
    },
    async discard() {
      await Promise.all(underWay);
      const entries = Array.from({ length: chunks }, (_, index) => chunkKey(body, index));
      await removeQuietly(context, entries);
    },
  };
}

function tooLarge(maximum: number): MailError<"MAIL_MESSAGE_TOO_LARGE"> {
  return new MailError("MAIL_MESSAGE_TOO_LARGE", `the message is larger than ${maximum} bytes`, { maximum });
}

/** Removes items that nobody can find any more. What stays behind expires. */
export async function removeQuietly(context: MailContext, keys: readonly Item[]): Promise<void> {
  const entries = keys.map((key): BatchWriteEntry => ({ table: context.table, delete: key }));
  try {
    await batchWrite(context.port, entries, {
      ...mailCall(context),
      parallel: 4,
      keyNames: { [context.table]: keyNames },
    });
  } catch (error) {
    context.logger.debug("items that nobody needs were left to expire", { table: context.table, error });
  }
}
