import { crc32 } from "node:zlib";
import { batchGet } from "@tablekeep/client";
import type { MailMessage } from "../mail.ts";
import type { MailCall } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import { mailhogMessage } from "../mailhog/mailhog-message.ts";
import { chunkKey } from "./keys.ts";
import { unpackChunk } from "./pack-chunk.ts";
import { recordOf } from "./read-summaries.ts";
import type { ShardedContext } from "./sharded-context.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** Reads the bytes of messages, those of all in the same requests; undefined for those deleted meanwhile. */
export async function loadMessages(
  context: ShardedContext,
  records: readonly SummaryRecord[],
  call: MailCall,
): Promise<(MailMessage | undefined)[]> {
  const keys = records.flatMap(({ body, chunks }) =>
    Array.from({ length: chunks }, (_, index) => ({ table: context.table, key: chunkKey(body, index) })),
  );
  const items = (await batchGet(context.port, keys, { ...call, consistent: true })).values();
  const messages: (MailMessage | undefined)[] = [];
  for (const record of records) {
    const pieces = Array.from({ length: record.chunks }, () => unpackChunk(items.next().value));
    messages.push(join(record, pieces) ?? (await goneOrCorrupt(context, record, call)));
  }
  return messages;
}

function join(record: SummaryRecord, pieces: readonly (Uint8Array | undefined)[]): MailMessage | undefined {
  const { summary, checksum, hostname } = record;
  const found = pieces.filter((piece) => piece !== undefined);
  const raw = found.length === 1 && found[0] !== undefined ? found[0] : Buffer.concat(found);
  if (found.length < pieces.length || raw.length !== summary.size || crc32(raw) !== checksum)
    return undefined;
  return { ...summary, raw, mailhog: () => mailhogMessage({ ...summary, raw, hostname }) };
}

/** A message loses its summary before its bytes: without the one, the other may be missing. */
async function goneOrCorrupt(
  context: ShardedContext,
  { summary }: SummaryRecord,
  call: MailCall,
): Promise<undefined> {
  if ((await recordOf(context, summary.id, call)) === undefined) return undefined;
  const reason = "bytes are missing or not those that were received";
  throw new MailError("MAIL_MESSAGE_CORRUPT", `message ${summary.id}: ${reason}`, { id: summary.id, reason });
}
