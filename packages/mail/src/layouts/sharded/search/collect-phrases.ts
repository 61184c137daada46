import type { Item } from "@tablekeep/core";
import { mailhogAddress } from "../../../mailhog/mailhog-message.ts";
import { nextTurn, pacer } from "../../../model/background-work.ts";
import type { MailCall } from "../../../model/mail-context.ts";
import { certainPieces } from "../../../search/match-message.ts";
import { commonPhrases, type Pieces, phraseFinder, samplesOf, workPerByte } from "../../../search/phrases.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import type { Hour } from "../hours/hours.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { loadMessages } from "../read/load-message.ts";
import { phraseKinds, phrasesItem, phrasesKey, phrasesThatFit } from "./block-phrases.ts";

/** The number of messages that are loaded together. */
const loadedAtOnce = 32;

/** Larger messages are not read for phrases. Searches read them. */
const maxMessageBytes = 128 * 1024;

/** Reads the messages of a block, newest first, and returns the items with their common phrases. */
export async function collectPhrases(
  context: ShardedContext,
  hour: Hour,
  name: string,
  records: readonly SummaryRecord[],
  call: MailCall,
): Promise<Item[]> {
  const items: Item[] = [];
  const all = records.map((record, number) => ({ record, number }));
  const small = all.filter(({ record }) => record.summary.size <= maxMessageBytes);
  for (const kind of phraseKinds) {
    const read = (some: readonly Numbered[]) =>
      kind === "containing" ? messagePieces(context, some, call) : summaryPieces(kind, some);
    const samples: Pieces[] = [];
    for await (const { pieces } of read(samplesOf(small))) samples.push(pieces);
    const phrases = phrasesThatFit(await commonPhrases(samples), records.length);
    if (phrases.length === 0) continue;
    const rows = phrases.map(() => new Uint8Array(Math.ceil(records.length / 8)));
    const find = phraseFinder(phrases);
    for await (const { number, pieces } of read(small)) {
      const mark = (phrase: number) => {
        const row = rows[phrase] as Uint8Array;
        row[number >> 3] = (row[number >> 3] as number) | (1 << (number & 7));
      };
      for (const piece of pieces) find(piece, mark);
    }
    items.push(phrasesItem(hour, phrasesKey(hour, name, kind), phrases, rows));
  }
  return items;
}

/** The part of summaries that a search for `from` or `to` compares. */
function* summaryPieces(kind: "from" | "to", numbered: readonly Numbered[]): Generator<NumberedPieces> {
  for (const { record, number } of numbered) {
    const { summary, mailhogFrom, mailhogTo } = record;
    const paths = kind === "from" ? [summary.envelope.from] : summary.envelope.to;
    const header = kind === "from" ? mailhogFrom : mailhogTo;
    const texts = [...paths.map(mailhogAddress), header ?? ""];
    yield { number, pieces: texts.map((text) => Buffer.from(text)) };
  }
}

interface NumberedPieces {
  readonly number: number;
  readonly pieces: Pieces;
}

interface Numbered {
  readonly record: SummaryRecord;
  readonly number: number;
}

async function* messagePieces(
  context: ShardedContext,
  numbered: readonly Numbered[],
  call: MailCall,
): AsyncGenerator<NumberedPieces, void, undefined> {
  const pace = pacer();
  for (let at = 0; at < numbered.length; at += loadedAtOnce) {
    const group = numbered.slice(at, at + loadedAtOnce);
    const messages = await loadMessages(
      context,
      group.map(({ record }) => record),
      call,
    );
    for (const [index, { number }] of group.entries()) {
      const message = messages[index];
      if (message === undefined) continue;
      yield { number, pieces: certainPieces(message) };
      await pace(message.size * workPerByte);
    }
    await nextTurn();
  }
}
