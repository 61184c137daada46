import { type BatchWriteEntry, batchWrite, putOnce } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import type { Envelope, IncomingMessage, MailSummary } from "../mail.ts";
import { expiryOf, type MailCall, mailCall } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import { readOverview } from "../mime/read-overview.ts";
import { storeFailure } from "../store-failure.ts";
import { type BodyWriter, bodyWriter, removeQuietly, type WrittenBody } from "./body-writer.ts";
import { generationUpdate, settlingMs } from "./hours.ts";
import { indexKeys, indexRows } from "./index-rows.ts";
import { keyNames } from "./keys.ts";
import { hourStart, placeOf } from "./message-id.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { type SummaryRecord, summaryRecord, writeSummary } from "./summary-item.ts";

/**
 * A message on its way in. Its chunks and index rows are written first; the put of its summary is what makes it a
 * message. A stop anywhere before leaves only what nobody finds and what expires.
 */
export function shardedIncoming(
  context: ShardedContext,
  envelope: Envelope,
  options: CallOptions = {},
): IncomingMessage {
  const writer = bodyWriter(context, options);
  let id = writer.body;
  let ended = false;
  const refuseEnded = () => {
    if (ended) throw new MailError("MAIL_MESSAGE_ENDED", "this message takes no more: begin another", { id });
  };
  return {
    get id() {
      return id;
    },
    async write(bytes) {
      refuseEnded();
      try {
        await writer.write(bytes);
      } catch (error) {
        throw storeFailure(error);
      }
    },
    async finish(finishOptions = options) {
      refuseEnded();
      ended = true;
      const summary = await finish(context, writer, envelope, mailCall(context, finishOptions));
      id = summary.id;
      return summary;
    },
    async discard() {
      ended = true;
      await writer.discard();
    },
  };
}

async function finish(
  context: ShardedContext,
  writer: BodyWriter,
  envelope: Envelope,
  call: MailCall,
): Promise<MailSummary> {
  let record: SummaryRecord;
  try {
    const written = await writer.end();
    record = await prepare(context, writer, envelope, written, call);
  } catch (error) {
    context.background.add(writer.discard());
    throw storeFailure(error);
  }
  await commit(context, record, call);
  return record.summary;
}

/** Everything but the summary. The id is made here: it tells when the message was complete. */
async function prepare(
  context: ShardedContext,
  { body, size }: BodyWriter,
  envelope: Envelope,
  { head, chunks, checksum, lastChunk }: WrittenBody,
  call: MailCall,
): Promise<SummaryRecord> {
  const overview = readOverview(head);
  const id = context.newId();
  const place = placeOf(id);
  if (place === undefined) throw new TypeError(`${id} is not an id`);
  const created = place.ms;
  const given = { id, created, expires: expiryOf(context, created), envelope, size };
  const record = summaryRecord(context, given, place, { body, chunks, checksum }, overview);
  const items: Item[] = [
    ...(lastChunk === undefined ? [] : [lastChunk]),
    ...indexRows(record, head, overview),
  ];
  const entries = items.map((put): BatchWriteEntry => ({ table: context.table, put }));
  const known = { [context.table]: keyNames };
  await Promise.all([
    batchWrite(context.port, entries, { ...call, parallel: 2, keyNames: known }),
    context.hours.enter(place.hour),
  ]);
  return record;
}

async function commit(context: ShardedContext, record: SummaryRecord, call: MailCall): Promise<void> {
  const { summary, place } = record;
  const { table, port } = context;
  const options = { ...call, keyNames, insertOnly: true, writeIdAttribute: "write" };
  const outcome = await putOnce(port, { TableName: table, Item: writeSummary(record) }, options);
  if (outcome.kind === "unknown") throw outcomeUnknown(summary.id, outcome.error);
  if (outcome.kind !== "ok") {
    context.background.add(removeQuietly(context, indexKeys(record)));
    throw storeFailure(outcome.error);
  }
  // What is known of an hour that ended is remembered: a message that comes so late has to be told of.
  if (context.clock.now() <= hourStart(place.hour) + 3_600_000 + settlingMs / 2) return;
  try {
    await port.updateItem(generationUpdate(context, place.hour), { ...call, idempotent: true });
  } catch (error) {
    throw outcomeUnknown(summary.id, error);
  }
}

function outcomeUnknown(id: string, cause: unknown): MailError<"MAIL_OUTCOME_UNKNOWN"> {
  const message = `message ${id} may be stored: look for it before you send it again`;
  return new MailError("MAIL_OUTCOME_UNKNOWN", message, { id }, { cause, ambiguous: true });
}
