import type { Item, Key } from "@tablekeep/core";
import { addedHeaders, mailhogAddress } from "../../../mailhog/mailhog-message.ts";
import { asUtf8 } from "../../../mime/decode-text.ts";
import { foldCase } from "../../../search/match-message.ts";
import { type Overview, textOf } from "../../../search/overview.ts";
import { type SignedTexts, signatureOf } from "../../../search/signature.ts";
import { addressKey, signatureKey } from "./mail-keys.ts";
import type { SummaryRecord, UnplacedRecord } from "./summary-item.ts";

/** The items by which a message is found. They are valid only together with its summary. */
export function indexItems(record: SummaryRecord, signed: Item): Item[] {
  const expires = { N: String(record.summary.expires) };
  const row = (key: Key): Item => ({ ...key, expires });
  return [
    ...addressKeys(record).map(row),
    { ...row(signatureKey(record.summary.id, record.place)), ...signed },
  ];
}

/** The keys of all index items of a message. */
export function indexKeys(record: SummaryRecord): Key[] {
  return [...addressKeys(record), signatureKey(record.summary.id, record.place)];
}

function addressKeys({ summary, place, senders, recipients, addressed }: SummaryRecord): Key[] {
  if (!addressed) return [];
  return [
    ...senders.map((address) => addressKey("sender", address, summary.id, place)),
    ...recipients.map((address) => addressKey("recipient", address, summary.id, place)),
  ];
}

/**
 * The attributes of a signature item. `all`: the signature for all searches. Messages larger than the part that is read here, or too varied, have
 * none and are always read. `text`: for these, the signature for searches of decoded text.
 */
export function signatures(record: UnplacedRecord, head: Uint8Array, overview: Overview): Item {
  const all = record.summary.size > head.length ? undefined : signatureOf(allTexts(record, head, overview));
  if (all !== undefined) return { all: { B: all } };
  const text = signatureOf({ texts: [foldCase(textOf(overview))] });
  return text === undefined ? {} : { text: { B: text } };
}

/** Returns everything that any search matches against. More texts do no harm. */
function allTexts(record: UnplacedRecord, head: Uint8Array, overview: Overview): SignedTexts {
  const { summary, hostname, senders, recipients } = record;
  const { from, to } = summary.envelope;
  const added = Object.values(addedHeaders({ ...summary, hostname }));
  const others = [...added, mailhogAddress(from), ...to.map(mailhogAddress), ...senders, ...recipients];
  const decoded = overview.verbatim ? joints(overview) : textOf(overview);
  const { body, headers } = overview.mailhog;
  const values = [...headers.values()];
  // The bytes do not contain unfolded values literally.
  if (overview.ascii) return { ascii: head, texts: [...values, ...others, decoded].map(foldCase) };
  return { texts: [asUtf8(body), ...values.map(asUtf8), ...others, decoded].map(foldCase) };
}

/** The groups of characters that the decoded text has and the bytes do not: those where one piece follows another. */
function joints({ head, texts }: Overview): string {
  const ends = texts.map((text) => (text.length < 8 ? text : `${text.slice(0, 2)}\n${text.slice(-2)}`));
  return [head, ...ends].join("\n");
}
