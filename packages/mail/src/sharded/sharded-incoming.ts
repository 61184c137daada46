import { waitWithin } from "@tablekeep/client";
import type { CallOptions } from "@tablekeep/core";
import type { Envelope, IncomingMessage, MailSummary } from "../mail.ts";
import { expiryOf, type MailCall, mailCall } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import { type Overview, readOverview } from "../mime/read-overview.ts";
import { storeFailure } from "../store-failure.ts";
import { type BodyWriter, bodyWriter, removeQuietly, type WrittenBody } from "./body-writer.ts";
import { commitMessage } from "./commit-message.ts";
import { indexKeys, indexRows } from "./index-rows.ts";
import { placeOf } from "./message-id.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { type SummaryRecord, summaryRecord } from "./summary-item.ts";

/** Larger messages take too long for others to wait for them. */
const smallBytes = 128 * 1024;

/**
 * A message on its way in. Its chunks and index rows are written first; its summary is what makes it a message. A stop anywhere before leaves only what nobody finds and what expires.
 */
export function shardedIncoming(
  context: ShardedContext,
  envelope: Envelope,
  options: CallOptions = {},
): IncomingMessage {
  const writer = bodyWriter(context, options);
  const isReady = context.departures.begin();
  let id = writer.body;
  let ended = false;
  let finishing = false;
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
        if (writer.size > smallBytes) isReady();
      } catch (error) {
        throw storeFailure(error);
      }
    },
    async finish(finishOptions = options) {
      refuseEnded();
      ended = true;
      finishing = true;
      isReady();
      const summary = await finish(context, writer, envelope, mailCall(context, finishOptions));
      id = summary.id;
      return summary;
    },
    async discard() {
      // The bytes may be a message's by now. What surely is none clears itself away.
      if (finishing) return;
      ended = true;
      isReady();
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
  let record: SummaryRecord | undefined;
  try {
    const written = await writer.end(call);
    const overview = readOverview(written.head, writer.size);
    record = recordOf(context, writer, envelope, written, overview);
    const rows = indexRows(record, written.head, overview);
    const { lastChunk } = written;
    const entering = context.hours.enter(record.place.hour);
    if (entering !== undefined) await waitWithin(call, entering);
    await commitMessage(context, record, lastChunk === undefined ? rows : [lastChunk, ...rows], call);
    return record.summary;
  } catch (error) {
    if (error instanceof MailError && error.ambiguous) throw error;
    context.background.add(clearAway(context, writer, record));
    throw storeFailure(error);
  }
}

/** The id is made here: it tells when the message was complete. */
function recordOf(
  context: ShardedContext,
  { body, size }: BodyWriter,
  envelope: Envelope,
  { chunks, checksum }: WrittenBody,
  overview: Overview,
): SummaryRecord {
  const id = context.newId();
  const place = placeOf(id);
  if (place === undefined) throw new TypeError(`${id} is not an id`);
  const created = place.ms;
  const given = { id, created, expires: expiryOf(context, created), envelope, size };
  return summaryRecord(context, given, place, { body, chunks, checksum }, overview);
}

async function clearAway(
  context: ShardedContext,
  writer: BodyWriter,
  record: SummaryRecord | undefined,
): Promise<void> {
  await writer.discard();
  if (record !== undefined) await removeQuietly(context, indexKeys(record));
}
