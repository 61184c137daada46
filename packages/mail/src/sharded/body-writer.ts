import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import { type BatchWriteEntry, batchWrite, waitWithin } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { pacer } from "../background.ts";
import { expiryOf, type MailCall, type MailContext, mailCall } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import { chunkCutter } from "./chunk-cutter.ts";
import { marginSeconds } from "./hours.ts";
import { chunkKey, keyNames } from "./keys.ts";
import { packChunk } from "./pack-chunk.ts";

/** How many chunks of one message are on their way at once. More bytes wait. */
const maxUnderWay = 2;

/** The bytes of one message on their way into the table. */
export interface BodyWriter {
  readonly body: string;
  readonly size: number;
  write(bytes: Uint8Array): Promise<void>;
  /** The last chunk, which the caller writes, and what is known of the whole. Rejects when the call is over. */
  end(call: MailCall): Promise<WrittenBody>;
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
  const cutter = chunkCutter();
  const underWay = new Set<Promise<void>>();
  let size = 0;
  let checksum = 0;
  let chunks = 0;
  let failure: { readonly error: unknown } | undefined;
  const pace = pacer();

  const take = (chunk: Uint8Array): Promise<Item> => {
    checksum = crc32(chunk, checksum);
    return packChunk(body, chunks++, chunk, expires);
  };
  const put = async (packed: Promise<Item>) => {
    try {
      const input = { TableName: context.table, Item: await packed };
      await context.port.putItem(input, mailCall(context, options));
    } catch (error) {
      failure ??= { error };
    }
  };
  const check = () => {
    if (failure !== undefined) throw failure.error;
  };
  const send = async (chunk: Uint8Array) => {
    while (underWay.size >= maxUnderWay) await Promise.race(underWay);
    check();
    const sent = put(take(chunk));
    underWay.add(sent);
    void sent.then(() => underWay.delete(sent));
    const turn = pace(chunk.length);
    if (turn !== undefined) await turn;
  };
  return {
    body,
    get size() {
      return size;
    },
    async write(bytes) {
      check();
      size += bytes.length;
      // Bytes are missing from now on: the end must fail, too.
      if (size > context.maxMessageBytes) failure ??= { error: tooLarge(context.maxMessageBytes) };
      check();
      await cutter.add(bytes, send);
    },
    async end(call) {
      const last = cutter.last();
      const packed = last.length === 0 ? undefined : take(last);
      if (underWay.size > 0) await waitWithin(call, Promise.all([packed, ...underWay]));
      const lastChunk = await packed;
      check();
      return { chunks, checksum, head: cutter.head(), lastChunk };
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
