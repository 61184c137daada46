import { batchGet } from "@tablekeep/client";
import { nextTurn } from "../../../model/background-work.ts";
import type { MailCall } from "../../../model/mail-context.ts";
import type { IndexedIds, SearchIndex } from "../../../model/mail-layout.ts";
import type { MailSearch } from "../../../model/mail-search.ts";
import { foldCase, isPlain } from "../../../search/match-message.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { inCurrentEra } from "../hours/eras.ts";
import type { Hour } from "../hours/hours.ts";
import { liveHours } from "../read/count-messages.ts";
import { recordsOf } from "../read/read-summaries.ts";
import { certainIds, type PhraseKind, phraseKinds, phrasesKey } from "./block-phrases.ts";
import { candidatePages } from "./candidate-pages.ts";
import { candidatesAmong, type Expose } from "./find-candidates.ts";
import { idsForOffset } from "./offset-ids.ts";
import { blocksOf } from "./read-blocks.ts";

/** Reading a summary by its key costs about twice as much as reading an id in order. */
const summaryCost = 2;

/** Finds messages by their signatures, and uses the ids of an hour to find out which of them exist. */
export function searchIndex(context: ShardedContext, expose: Expose): SearchIndex {
  const existing = (ids: readonly string[], call: MailCall) =>
    inCurrentEra(context.eras, call, (era) => recordsOf(context, era, ids, call));
  return {
    ids: (search, call) => indexedIds(context, search, call),
    async candidates(search, ids, call) {
      const records = (await existing(ids, call)).filter((record) => record !== undefined);
      return candidatesAmong(search, records, expose);
    },
    async summaries(ids, call) {
      return (await existing(ids, call)).map((record) => record && expose(record));
    },
  };
}

async function* indexedIds(
  context: ShardedContext,
  search: MailSearch,
  call: MailCall,
): AsyncGenerator<IndexedIds, void, undefined> {
  const { hours } = await context.hours.read(call);
  for (const hour of liveHours(hours, undefined)) {
    const { ids, compared } = await hourCandidates(context, hour, search, call);
    const unknown = compared - context.ids.settledOf(hour).ids.length;
    const worthReading = ids.length * summaryCost >= unknown;
    const live = await idsForOffset(context, hour, worthReading ? Number.POSITIVE_INFINITY : 0, call);
    const certain = await certainMatches(context, hour, search, ids.length, call);
    yield live === undefined
      ? { ids, exist: false, certain }
      : { ids: inBoth(ids, live), exist: true, certain };
  }
}

/** If fewer messages than this part of all are candidates, they are read: they hardly share a phrase that is common in a block. */
const commonShare = 1 / 16;

/** Blocks whose phrases are read together. */
const blocksAtOnce = 16;

function isPhraseKind(kind: MailSearch["kind"]): kind is PhraseKind {
  return (phraseKinds as readonly string[]).includes(kind);
}

/** The ids of an hour that match for certain, as far as blocks have common phrases that contain the query. */
async function certainMatches(
  context: ShardedContext,
  hour: Hour,
  { kind, query }: MailSearch,
  candidates: number,
  call: MailCall,
): Promise<ReadonlySet<string>> {
  const certain = new Set<string>();
  const fewest = (hour.blocks?.count ?? 0) * commonShare;
  if (!isPhraseKind(kind) || !isPlain(query) || candidates < fewest) return certain;
  const wanted = foldCase(query);
  const { table, port } = context;
  for await (const group of blocksOf(context, hour, call)) {
    const blocks = group.filter(({ phrases }) => phrases !== "");
    for (let at = 0; at < blocks.length; at += blocksAtOnce) {
      const some = blocks.slice(at, at + blocksAtOnce);
      const keys = some.map(({ phrases }) => ({ table, key: phrasesKey(hour, phrases, kind) }));
      const items = await batchGet(port, keys, call);
      for (const [index, block] of some.entries())
        for (const id of certainIds(block, items[index], wanted)) certain.add(id);
      await nextTurn();
    }
  }
  return certain;
}

/** The ids of an hour that may match, newest first, and the number of signatures that were compared. */
async function hourCandidates(
  context: ShardedContext,
  hour: Hour,
  search: MailSearch,
  call: MailCall,
): Promise<{ readonly ids: string[]; readonly compared: number }> {
  const found: string[] = [];
  let compared = 0;
  const onCompared = (count: number) => {
    compared += count;
  };
  for (const pages of candidatePages(context, hour, search, undefined, call, onCompared)) {
    for await (const ids of pages) {
      for (const id of ids) found.push(id);
      await nextTurn();
    }
  }
  return { ids: found.sort().reverse(), compared };
}

/** The ids, newest first, that are also in a list that is oldest first. Returns the strings of that list, which is kept in memory anyway. */
function inBoth(found: readonly string[], live: readonly string[]): string[] {
  const both: string[] = [];
  let at = live.length - 1;
  for (const id of found) {
    while (at >= 0 && (live[at] as string) > id) at--;
    if (live[at] === id) both.push(live[at] as string);
  }
  return both;
}
