import { crc32 } from "node:zlib";
import { batchGet } from "@tablekeep/client";
import type { Item, Key } from "@tablekeep/core";
import { mailhogJson, mailhogMessage, mailhogText } from "../../../mailhog/mailhog-message.ts";
import { pacer } from "../../../model/background-work.ts";
import type { MailCall } from "../../../model/mail-context.ts";
import { isMailError, MailError } from "../../../model/mail-error.ts";
import type { MailMessage } from "../../../model/message.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { chunkBytes, unpackChunk } from "../items/chunk-item.ts";
import { chunkKey } from "../items/mail-keys.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { recordOf } from "./read-summaries.ts";

/** Reads one message whose record has just been read; undefined if it was deleted meanwhile. */
export async function loadMessage(
  context: ShardedContext,
  record: SummaryRecord,
  call: MailCall,
): Promise<MailMessage | undefined> {
  const [message] = await readMessages(context, [record], record.place.era, call);
  return message ?? goneOrCorrupt(context, record, call);
}

/**
 * Reads the bytes of several messages in common requests. Returns undefined for messages deleted meanwhile and for corrupt
 * ones, which it logs, so that a corrupt message does not fail lists and searches.
 */
export async function loadMessages(
  context: ShardedContext,
  records: readonly SummaryRecord[],
  call: MailCall,
): Promise<(MailMessage | undefined)[]> {
  const messages = await readMessages(context, records, context.eras.current(call), call);
  for (const [at, record] of records.entries()) {
    if (messages[at] !== undefined) continue;
    await goneOrCorrupt(context, record, call).catch((error: unknown) => {
      if (!isMailError(error, "MAIL_MESSAGE_CORRUPT")) throw error;
      context.logger.warn("skipped a corrupt message", { table: context.table, error });
    });
  }
  return messages;
}

/** Reads the bytes of messages. Those of another era than the current one have been deleted since they were listed. */
async function readMessages(
  context: ShardedContext,
  records: readonly SummaryRecord[],
  current: string | Promise<string>,
  call: MailCall,
): Promise<(MailMessage | undefined)[]> {
  const items = chunkItems(context, records, call);
  // Both begin at once: on DynamoDB they take one round trip.
  const [era, first] = await Promise.all([current, items.next()]);
  let next = first;
  const messages: (MailMessage | undefined)[] = [];
  const pace = pacer();
  for (const record of records) {
    const bytes = new JoinedBytes(record);
    for (let chunk = 0; chunk < record.chunks; chunk++) {
      const piece = unpackChunk(next.value ?? undefined);
      if (piece !== undefined) bytes.add(piece);
      const turn = pace(piece?.length ?? 0);
      if (turn !== undefined) await turn;
      next = await items.next();
    }
    const raw = record.place.era === era ? bytes.raw() : undefined;
    messages.push(raw === undefined ? undefined : messageOf(record, raw));
  }
  return messages;
}

/** Bytes of chunks that an embedded engine reads at once: it reads them in one turn of the event loop. */
const readAtOnce = 2 * 1024 * 1024;

/** Yields the items of all chunks, in order; undefined for missing ones. */
async function* chunkItems(
  { port, table }: ShardedContext,
  records: readonly SummaryRecord[],
  call: MailCall,
): AsyncGenerator<Item | undefined, void, undefined> {
  const options = { ...call, consistent: true };
  let keys: { readonly table: string; readonly key: Key }[] = [];
  let bytes = 0;
  for (const { body, chunks, summary } of records) {
    for (let index = 0; index < chunks; index++) {
      keys.push({ table, key: chunkKey(body, index) });
      bytes += Math.min(summary.size, chunkBytes);
      if (!port.atomicBatches || bytes < readAtOnce) continue;
      yield* (await batchGet(port, keys, options)).values();
      keys = [];
      bytes = 0;
    }
  }
  if (keys.length > 0) yield* (await batchGet(port, keys, options)).values();
}

/** The bytes of a message, which are copied as they are read: a copy of a large message at the end would hold up all others. */
class JoinedBytes {
  readonly #record: SummaryRecord;
  #bytes: Uint8Array | undefined;
  #length = 0;
  #pieces = 0;
  #checksum = 0;

  constructor(record: SummaryRecord) {
    this.#record = record;
  }

  add(piece: Uint8Array): void {
    const { chunks, summary } = this.#record;
    this.#checksum = crc32(piece, this.#checksum);
    if (chunks === 1) this.#bytes = piece;
    else if (this.#length + piece.length <= summary.size && summary.size <= chunks * chunkBytes) {
      this.#bytes ??= Buffer.allocUnsafeSlow(summary.size);
      this.#bytes.set(piece, this.#length);
    }
    this.#length += piece.length;
    this.#pieces++;
  }

  /** Returns undefined unless all bytes are present and unchanged. */
  raw(): Uint8Array | undefined {
    const { chunks, summary, checksum } = this.#record;
    const isWhole = this.#pieces === chunks && this.#length === summary.size && this.#checksum === checksum;
    return isWhole ? (this.#bytes ?? Buffer.alloc(0)) : undefined;
  }
}

function messageOf({ summary, hostname }: SummaryRecord, raw: Uint8Array): MailMessage {
  const source = { ...summary, raw, hostname };
  return {
    ...summary,
    raw,
    mailhog: () => mailhogMessage(source),
    mailhogText: () => mailhogText(source),
    mailhogJson: (options) => mailhogJson(source, options),
  };
}

/** A delete removes the summary before the bytes: without a summary, bytes may be missing. */
async function goneOrCorrupt(
  context: ShardedContext,
  { summary }: SummaryRecord,
  call: MailCall,
): Promise<undefined> {
  if ((await recordOf(context, summary.id, call)) === undefined) return undefined;
  const reason = "bytes are missing or differ from those received";
  throw new MailError("MAIL_MESSAGE_CORRUPT", `message ${summary.id}: ${reason}`, { id: summary.id, reason });
}
