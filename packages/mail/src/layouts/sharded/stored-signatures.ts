import type { Item } from "@tablekeep/core";
import type { Hour, HourName } from "./hours.ts";
import { pageBytes, type SignaturePage, signaturePage } from "./signatures.ts";

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
}

/** Creates a memory of about `maxBytes`. Drops the oldest hours first. `writer` is the name of this instance. */
export function storedSignatures(writer: string, maxBytes: number): StoredSignatures {
  /** Undefined: dropped. */
  const hours = new Map<string, SignedHour | undefined>();
  let bytes = 0;
  const makeSpace = () => {
    for (const [key, hour] of hours) {
      if (bytes <= maxBytes) return;
      for (const page of hour?.pages ?? []) bytes -= pageBytes(page);
      hours.set(key, undefined);
    }
  };
  return {
    add(name, id, signed) {
      const key = `${name.era}#${name.hour}`;
      const hour = hours.has(key) ? hours.get(key) : { pages: [], open: [] };
      hours.set(key, hour);
      if (hour === undefined) return;
      hour.open.push({ ...signed, sk: { S: id } });
      if (hour.open.length < pageLength) return;
      const page = signaturePage(hour.open);
      hour.pages.push(page);
      hour.open = [];
      bytes += pageBytes(page);
      makeSpace();
    },
    of({ era, hour, writers }) {
      const known = hours.get(`${era}#${hour}`);
      if (known === undefined || writers.some((name) => name !== writer)) return undefined;
      return [...known.pages, signaturePage(known.open)];
    },
  };
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
