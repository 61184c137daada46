import { randomBytes } from "node:crypto";
import type { Item, Key } from "@tablekeep/core";
import { type Hour, type HourName, marginSeconds } from "../hours/hours.ts";
import { partKey } from "../items/mail-keys.ts";
import { countOf, idAt, type SignatureBlock } from "../signatures/signature-blocks.ts";

/** Bytes of phrases, and of the bits that show which messages contain them. */
const maxBytes = 128 * 1024;

/** Between the phrases of a group, and between groups. Neither is part of a phrase. */
const [phraseEnd, groupEnd] = ["\t", "\n"];

/** The phrases that fit into the item of a block with this many messages: the first ones. */
export function phrasesThatFit(phrases: readonly string[], messages: number): string[] {
  let bytes = 0;
  return phrases.filter((phrase) => {
    bytes += phrase.length + 1 + Math.ceil(messages / 8);
    return bytes <= maxBytes;
  });
}

/** The kinds of searches that phrases are kept for. */
export const phraseKinds = ["containing", "from", "to"] as const;

export type PhraseKind = (typeof phraseKinds)[number];

/** The key of the phrases of a block for one kind of search. */
export function phrasesKey(hour: HourName, name: string, kind: PhraseKind): Key {
  return partKey(hour, name, kind);
}

/** A name for the phrases of a block. */
export function newPhrasesName(): string {
  return randomBytes(9).toString("base64url");
}

/** The item with the phrases of a block. `rows` has for each phrase a bit for each message, in the order of the block. */
export function phrasesItem(
  hour: Hour,
  key: Key,
  phrases: readonly string[],
  rows: readonly Uint8Array[],
): Item {
  const groups = new Map<string, { readonly row: Uint8Array; readonly phrases: string[] }>();
  rows.forEach((row, at) => {
    const key = Buffer.from(row).toString("latin1");
    const group = groups.get(key) ?? { row, phrases: [] };
    groups.set(key, group);
    group.phrases.push(phrases[at] as string);
  });
  const all = [...groups.values()];
  return {
    ...key,
    texts: { S: all.map((group) => withoutParts(group.phrases).join(phraseEnd)).join(groupEnd) },
    rows: { B: Buffer.concat(all.map(({ row }) => row)) },
    expires: { N: String(hour.endsAt + marginSeconds) },
  };
}

/** Omits phrases that are part of others: the same messages contain these. */
function withoutParts(phrases: readonly string[]): string[] {
  const kept: string[] = [];
  for (const phrase of phrases.toSorted((one, other) => other.length - one.length))
    if (!kept.some((longer) => longer.includes(phrase))) kept.push(phrase);
  return kept;
}

/**
 * Returns the ids of messages of a block that certainly contain a query, which is printable ASCII in lower case. There are none if
 * the item is missing or damaged.
 */
export function certainIds(block: SignatureBlock, item: Item | undefined, query: string): string[] {
  const [texts, rows] = [item?.["texts"]?.S, item?.["rows"]?.B];
  const rowBytes = Math.ceil(countOf(block) / 8);
  const groups = texts?.split(groupEnd) ?? [];
  if (rows === undefined || rows.length !== groups.length * rowBytes) return [];
  const marks = new Uint8Array(rowBytes);
  groups.forEach((group, number) => {
    if (!group.includes(query)) return;
    const start = number * rowBytes;
    for (let at = 0; at < rowBytes; at++) marks[at] = (marks[at] as number) | (rows[start + at] as number);
  });
  const found: string[] = [];
  for (let at = 0; at < countOf(block); at++)
    if (((marks[at >> 3] as number) & (1 << (at & 7))) !== 0) found.push(idAt(block, at));
  return found;
}
