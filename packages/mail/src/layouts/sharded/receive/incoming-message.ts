import { crc32 } from "node:zlib";
import { type BatchWriteEntry, batchWrite, waitWithin } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { pacer } from "../../../model/background-work.ts";
import { expiryOf, type MailCall, type MailContext, mailCall } from "../../../model/mail-context.ts";
import { checkBytes, MailError, messageEnded, storeFailure } from "../../../model/mail-error.ts";
import type { OriginalRecord } from "../../../model/mail-layout.ts";
import type { Envelope, IncomingMessage, MailSummary } from "../../../model/message.ts";
import { sortedTags } from "../../../model/tag-rules.ts";
import { readOverview } from "../../../search/overview.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { marginSeconds } from "../hours/hours.ts";
import { chunkCutter } from "../items/chunk-cutter.ts";
import { packChunk } from "../items/chunk-item.ts";
import { indexItems, indexKeys, signatures } from "../items/index-items.ts";
import { chunkKey, keyNames, parseId } from "../items/mail-keys.ts";
import { placed, type SummaryRecord, summaryRecord, type UnplacedRecord } from "../items/summary-item.ts";
import { commitImport } from "./commit-import.ts";
import { commitMessage } from "./commit-message.ts";

/** The number of chunks of one message that are sent at the same time. Further bytes wait. */
const maxInFlight = 2;

/** Larger messages are not committed together with others: these would wait too long. */
const smallBytes = 128 * 1024;

/**
 * Receives one message. Its chunks are written while it arrives, its index items when it is complete, and its summary last: only
 * that commits it. A crash before leaves items that no reader finds and that expire.
 */
export function shardedIncoming(
  context: ShardedContext,
  envelope: Envelope,
  options: CallOptions = {},
  original?: OriginalRecord,
): IncomingMessage {
  return new ShardedIncoming(context, envelope, options, original);
}

class ShardedIncoming implements IncomingMessage {
  readonly #context: ShardedContext;
  readonly #envelope: Envelope;
  readonly #options: CallOptions;
  /** Of a message that was received elsewhere. Others may store the same one at the same time. */
  readonly #original: OriginalRecord | undefined;
  /** The location of the chunks. */
  readonly #body: string;
  readonly #expires: number;
  readonly #cutter = chunkCutter();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #pace = pacer();
  /** Stops small messages of other senders from waiting for this one. */
  readonly #leaveBatch: () => void;
  #id: string;
  #state: "open" | "finishing" | "discarded" = "open";
  #size = 0;
  #checksum = 0;
  #chunks = 0;
  /** The first failure. Bytes are missing from then on, so the message cannot be finished. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    context: ShardedContext,
    envelope: Envelope,
    options: CallOptions,
    original: OriginalRecord | undefined,
  ) {
    this.#context = context;
    this.#original = original;
    this.#envelope = envelope;
    this.#options = options;
    this.#body = context.newBody();
    this.#id = this.#body;
    this.#expires = expiryOf(context, context.clock.now()) + marginSeconds;
    this.#leaveBatch = context.commitBatcher.begin();
  }

  get id(): string {
    return this.#id;
  }

  async write(bytes: Uint8Array): Promise<void> {
    checkBytes(bytes);
    this.#checkOpen();
    const { maxMessageBytes } = this.#context;
    try {
      this.#checkFailure();
      this.#size += bytes.length;
      if (this.#size > maxMessageBytes) this.#failure ??= { error: tooLarge(maxMessageBytes) };
      this.#checkFailure();
      await this.#cutter.add(bytes, (chunk) => this.#send(chunk));
      if (this.#size > smallBytes) this.#leaveBatch();
    } catch (error) {
      throw storeFailure(error);
    }
  }

  async finish(options: CallOptions = this.#options): Promise<MailSummary> {
    this.#checkOpen();
    this.#state = "finishing";
    this.#leaveBatch();
    const call = mailCall(this.#context, options);
    let record: SummaryRecord | undefined;
    try {
      const lastChunk = await this.#end(call);
      const head = this.#cutter.head();
      const overview = readOverview(head, this.#size);
      await this.#giveTurn(head);
      const unplaced = this.#record(overview);
      const signed = signatures(unplaced, head, overview);
      await this.#giveTurn(head);
      if (this.#context.port.atomicBatches) await this.#context.commitBatcher.waitForOthers();
      record = placed(unplaced, await this.#context.eras.forMessage(call));
      const items = indexItems(record, signed);
      this.#context.stored.add(record.place, record.summary.id, signed);
      const original =
        this.#original === undefined
          ? undefined
          : { expires: record.summary.expires, shard: record.place.shard };
      const entering = this.#context.hours.enter(record.place, original);
      if (entering !== undefined) await waitWithin(call, entering);
      const others = lastChunk === undefined ? items : [lastChunk, ...items];
      if (original === undefined) await commitMessage(this.#context, { record, others }, call);
      else record = await commitImport(this.#context, { record, others }, call);
    } catch (error) {
      if (error instanceof MailError && error.ambiguous) throw error;
      // The index items may be those of another import of the same message.
      this.#context.background.add(this.#remove(this.#original === undefined ? record : undefined));
      throw storeFailure(error);
    }
    this.#id = record.summary.id;
    // If all messages were deleted meanwhile, this is one of them.
    if (record.place.era === this.#context.eras.known) this.#context.onCommitted(record.summary);
    return record.summary;
  }

  async discard(): Promise<void> {
    // From `finish` on the chunks may belong to a message; a failed `finish` removes them itself.
    if (this.#state === "finishing") return;
    this.#state = "discarded";
    this.#leaveBatch();
    await this.#remove(undefined);
  }

  #checkOpen(): void {
    if (this.#state !== "open") throw messageEnded(this.#id);
  }

  #checkFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #send(chunk: Uint8Array): Promise<void> {
    while (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    this.#checkFailure();
    const sent = this.#put(this.#pack(chunk));
    this.#inFlight.add(sent);
    void sent.then(() => this.#inFlight.delete(sent));
    await this.#giveTurn(chunk);
  }

  /** Lets other work run if these bytes and the preceding ones took long. */
  async #giveTurn(bytes: Uint8Array): Promise<void> {
    const turn = this.#pace(bytes.length);
    if (turn !== undefined) await turn;
  }

  #pack(chunk: Uint8Array): Promise<Item> {
    this.#checksum = crc32(chunk, this.#checksum);
    // DynamoDB charges by size; on the engine, packing a small message costs more than its bytes.
    const plainBytes = this.#context.port.atomicBatches ? 16 * 1024 : 0;
    return packChunk(this.#body, this.#chunks++, chunk, { expires: this.#expires, plainBytes });
  }

  async #put(packed: Promise<Item>): Promise<void> {
    const { port, table } = this.#context;
    try {
      await port.putItem({ TableName: table, Item: await packed }, mailCall(this.#context, this.#options));
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Waits for the chunks in flight. Returns the last chunk, still to be written; undefined for a message without bytes. */
  async #end(call: MailCall): Promise<Item | undefined> {
    const last = this.#cutter.last();
    const packed = last.length === 0 ? undefined : this.#pack(last);
    if (this.#inFlight.size > 0) await waitWithin(call, Promise.all([packed, ...this.#inFlight]));
    const lastChunk = await packed;
    this.#checkFailure();
    return lastChunk;
  }

  /** Creates the id. Its time is the end of the message. */
  #record(overview: ReturnType<typeof readOverview>): UnplacedRecord {
    const id = this.#original?.id ?? this.#context.newId();
    const place = parseId(id);
    if (place === undefined) throw new TypeError(`${id} is not an id`);
    const created = place.ms;
    const begins = this.#original === undefined ? created : this.#context.clock.now();
    const expires = expiryOf(this.#context, begins);
    const { read = false, tags = overview.tags } = this.#original ?? {};
    const marks = { read, tags: sortedTags(tags) };
    const received = { id, created, expires, envelope: this.#envelope, size: this.#size, ...marks };
    const body = { body: this.#body, chunks: this.#chunks, checksum: this.#checksum };
    return summaryRecord(this.#context, received, place, body, overview);
  }

  /** Removes what was written. Never rejects. */
  async #remove(record: SummaryRecord | undefined): Promise<void> {
    await Promise.all(this.#inFlight);
    const chunks = Array.from({ length: this.#chunks }, (_, index) => chunkKey(this.#body, index));
    await removeUnreachable(this.#context, chunks);
    if (record !== undefined) await removeUnreachable(this.#context, indexKeys(record));
  }
}

function tooLarge(maximum: number): MailError<"MAIL_MESSAGE_TOO_LARGE"> {
  return new MailError("MAIL_MESSAGE_TOO_LARGE", `the message is larger than ${maximum} bytes`, { maximum });
}

/** Removes items that readers no longer find. Never rejects; what is left expires. */
export async function removeUnreachable(context: MailContext, keys: readonly Item[]): Promise<void> {
  const entries = keys.map((key): BatchWriteEntry => ({ table: context.table, delete: key }));
  try {
    await batchWrite(context.port, entries, {
      ...mailCall(context),
      parallel: 4,
      keyNames: { [context.table]: keyNames },
    });
  } catch (error) {
    context.logger.debug("unreachable items were left to expire", { table: context.table, error });
  }
}
