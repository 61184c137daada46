import type { Item } from "@tablekeep/core";
import type { SearchMemory } from "../../../model/search-memory.ts";
import type { Hour, HourName } from "../hours/hours.ts";
import { pageBytes, type SignaturePage, signaturePage } from "./signature-page.ts";

/** The signatures of messages that this instance has stored: a search in an hour that it alone writes reads none. */
export interface StoredSignatures {
  /** Adds a message that is about to be committed. If it never is, the search finds no summary for it. */
  add(name: HourName, id: string, signed: Item): void;
  /** The pages of an hour, in the order of stores; undefined if other instances store messages in it, or if they were dropped. */
  of(hour: Hour): readonly SignaturePage[] | undefined;
}

/** Messages of one page. */
const pageLength = 512;

interface SignedHour {
  readonly pages: SignaturePage[];
  /** Items that do not fill a page yet. */
  open: Item[];
  /** Of the pages and the open items. */
  bytes: number;
}

/** Approximate bytes of an item, without its signatures. */
const itemBytes = 300;

/**
 * Keeps about `maxBytes`. Drops the oldest hours first, all if other stores need the memory, and all hours of an era when another one
 * begins: their messages are deleted. `writer` is the name of this instance.
 */
export function storedSignatures(
  writer: string,
  maxBytes: number,
  memory: Pick<SearchMemory, "add">,
): StoredSignatures {
  let era = "";
  /** The hours of this era. Undefined: dropped. */
  const hours = new Map<string, SignedHour | undefined>();
  let bytes = 0;
  const count = (hour: SignedHour, added: number) => {
    hour.bytes += added;
    bytes += added;
  };
  const makeSpace = () => {
    for (const [name, hour] of hours) {
      if (bytes <= maxBytes) return;
      bytes -= hour?.bytes ?? 0;
      hours.set(name, undefined);
    }
  };
  const share = memory.add(() => {
    for (const name of hours.keys()) hours.set(name, undefined);
    bytes = 0;
  });
  return {
    add(name, id, signed) {
      if (name.era < era) return;
      if (name.era > era) {
        ({ era } = name);
        hours.clear();
        bytes = 0;
      }
      const hour = hours.has(name.hour) ? hours.get(name.hour) : { pages: [], open: [], bytes: 0 };
      hours.set(name.hour, hour);
      if (hour === undefined) return;
      const item = { ...signed, sk: { S: id } };
      hour.open.push(item);
      count(hour, openBytes(item));
      if (hour.open.length >= pageLength) {
        const page = signaturePage(hour.open);
        for (const each of hour.open) count(hour, -openBytes(each));
        count(hour, pageBytes(page));
        hour.pages.push(page);
        hour.open = [];
      }
      if (bytes > maxBytes) makeSpace();
      share.use(bytes);
    },
    of({ era: wanted, hour, writers }) {
      const known = wanted === era ? hours.get(hour) : undefined;
      if (known === undefined || writers.some((name) => name !== writer)) return undefined;
      share.use(bytes);
      return [...known.pages, signaturePage(known.open)];
    },
  };
}

function openBytes(item: Item): number {
  return itemBytes + (item["all"]?.B?.length ?? 0) + (item["text"]?.B?.length ?? 0);
}

/**
 * Yields the ids that `wanted` selects from pages, newest first, though the order of stores is only nearly that of ids: an id is
 * held back until no earlier page can have a higher one.
 */
export function* newestFirst(
  pages: readonly SignaturePage[],
  wanted: (page: SignaturePage) => readonly string[],
): Generator<readonly string[], void, undefined> {
  const highestUntil: string[] = [];
  let highest = "";
  for (const { ids } of pages) {
    for (const id of ids) if (id > highest) highest = id;
    highestUntil.push(highest);
  }
  let held: readonly string[] = [];
  for (let at = pages.length - 1; at >= 0; at--) {
    const found = [...held, ...wanted(pages[at] as SignaturePage)].sort().reverse();
    const earlier = highestUntil[at - 1] ?? "";
    const ready = found.filter((id) => id > earlier);
    held = found.slice(ready.length);
    yield ready;
  }
}
