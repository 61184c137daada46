import type { Item, Key } from "@tablekeep/core";
import { byteText, readable } from "../mailhog/byte-text.ts";
import { addedHeaders, withoutFinalLineEnd } from "../mailhog/mailhog-message.ts";
import { contentPieces } from "../mailhog/parse-content.ts";
import { mailhogAddress } from "../mailhog/parse-path.ts";
import { type Overview, textOf } from "../mime/read-overview.ts";
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
  if (record.summary.size > head.length) return { text: { B: signatureOf([foldCase(textOf(overview))]) } };
  const raw = withoutFinalLineEnd(head);
  const pieces = contentPieces(byteText(raw));
  const read = readable(raw);
  const body = read(pieces.body);
  const { summary, hostname } = record;
  const added = Object.values(addedHeaders({ ...summary, hostname }));
  const values = [...pieces.headers.values()].map(read);
  const addresses = [summary.envelope.from, ...summary.envelope.to].map(mailhogAddress);
  const texts = [body, ...values, ...added, ...addresses, decodedBeyond(body, overview)];
  return { all: { B: signatureOf(texts.map(foldCase)) } };
}

/** The decoded text as far as the body does not hold it: most mails are not encoded, and need no second look. */
function decodedBeyond(body: string, overview: Overview): string {
  const [first = ""] = overview.texts;
  if (overview.texts.length !== 1 || !first.startsWith(body)) return textOf(overview);
  // Where one follows the other there are groups of characters that neither has.
  return `${overview.head}\n${first.slice(0, 2)}\n${first.slice(Math.max(0, body.length - 2))}`;
}
