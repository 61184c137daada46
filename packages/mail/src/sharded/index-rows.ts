import type { Item, Key } from "@tablekeep/core";
import { byteText, readable } from "../mailhog/byte-text.ts";
import { addedHeaders, withoutFinalLineEnd } from "../mailhog/mailhog-message.ts";
import { contentPieces } from "../mailhog/parse-content.ts";
import type { Overview } from "../mime/read-overview.ts";
import { foldCase } from "../search/fold-case.ts";
import { signatureOf } from "../search/signature.ts";
import { addressKey, signatureKey } from "./keys.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** The rows by which a message is found. They count only together with its summary. */
export function indexRows(record: SummaryRecord, head: Uint8Array, overview: Overview): Item[] {
  const expires = { N: String(record.summary.expires) };
  const row = (key: Key): Item => ({ ...key, expires });
  return [
    ...addressKeys(record).map(row),
    { ...row(signatureKey(record.summary.id, record.place)), ...signatures(record, head, overview) },
  ];
}

/** The keys of all rows of a message. */
export function indexKeys(record: SummaryRecord): Key[] {
  return [...addressKeys(record), signatureKey(record.summary.id, record.place)];
}

function addressKeys({ summary, place, senders, recipients }: SummaryRecord): Key[] {
  return [
    ...senders.map((address) => addressKey("sender", address, summary.id, place)),
    ...recipients.map((address) => addressKey("recipient", address, summary.id, place)),
  ];
}

/**
 * `all`: what a search for any text goes by; left out for messages that are larger than what is looked at here, which
 * are then always read. `text`: of these, what a search for decoded text goes by.
 */
function signatures(record: SummaryRecord, head: Uint8Array, overview: Overview): Item {
  const text = foldCase(overview.text);
  if (record.summary.size > head.length) return { text: { B: signatureOf([text]) } };
  const raw = withoutFinalLineEnd(head);
  const { headers, body } = contentPieces(byteText(raw));
  const read = readable(raw);
  const { summary, hostname } = record;
  const added = Object.values(addedHeaders({ ...summary, hostname }));
  const texts = [read(body), ...Array.from(headers.values(), read), ...added].map(foldCase);
  return { all: { B: signatureOf([...texts, text]) } };
}
