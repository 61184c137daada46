import type { Item, Key } from "@tablekeep/core";
import { addedHeaders, mailhogAddress, withoutFinalLineEnd } from "../../mailhog/mailhog-message.ts";
import { contentPieces } from "../../mailhog/outline.ts";
import { byteText, readable } from "../../mime/byte-text.ts";
import { foldCase } from "../../search/match-message.ts";
import { type Overview, textOf } from "../../search/overview.ts";
import { type SignedTexts, signatureOf } from "../../search/signature.ts";
import { addressKey, signatureKey } from "./keys.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** The items by which a message is found. They are valid only together with its summary. */
export function indexItems(record: SummaryRecord, head: Uint8Array, overview: Overview): Item[] {
  const expires = { N: String(record.summary.expires) };
  const row = (key: Key): Item => ({ ...key, expires });
  return [
    ...addressKeys(record).map(row),
    { ...row(signatureKey(record.summary.id, record.place)), ...signatures(record, head, overview) },
  ];
}

/** The keys of all index items of a message. */
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
 * `all`: the signature for all searches. Messages larger than the part that is read here, or too varied, have
 * none and are always read. `text`: for these, the signature for searches of decoded text.
 */
function signatures(record: SummaryRecord, head: Uint8Array, overview: Overview): Item {
  const all = record.summary.size > head.length ? undefined : signatureOf(allTexts(record, head, overview));
  if (all !== undefined) return { all: { B: all } };
  const text = signatureOf({ texts: [foldCase(textOf(overview))] });
  return text === undefined ? {} : { text: { B: text } };
}

/** Everything that any search matches against; more does no harm. */
function allTexts(record: SummaryRecord, head: Uint8Array, overview: Overview): SignedTexts {
  const { summary, hostname } = record;
  const { from, to } = summary.envelope;
  const added = Object.values(addedHeaders({ ...summary, hostname }));
  const others = [...added, mailhogAddress(from), ...to.map(mailhogAddress)];
  const decoded = overview.verbatim ? joints(overview) : textOf(overview);
  // Values of several lines do not stand in the bytes as they are.
  if (overview.ascii)
    return { ascii: head, texts: [...overview.mailhogValues, ...others, decoded].map(foldCase) };
  const raw = withoutFinalLineEnd(head);
  const { body, headers } = contentPieces(byteText(raw));
  const read = readable(raw);
  return { texts: [read(body), ...[...headers.values()].map(read), ...others, decoded].map(foldCase) };
}

/** Of the decoded text what is not among the bytes: where one piece follows the other there are groups that neither has. */
function joints({ head, texts }: Overview): string {
  const ends = texts.map((text) => (text.length < 8 ? text : `${text.slice(0, 2)}\n${text.slice(-2)}`));
  return [head, ...ends].join("\n");
}
