import type { Item } from "@tablekeep/core";
import type { SearchMemory } from "../../../model/search-memory.ts";
import { mayContain } from "../../../search/signature.ts";

/** The signatures of one partition, newest message first, in one block of memory: many small blocks would cost more. */
export interface SignaturePage {
  readonly ids: readonly string[];
  readonly signatures: Uint8Array;
  /** For each id, where its `all` and its `text` start; then the end. An absent signature is empty. */
  readonly bounds: Uint32Array;
}

/** Approximate bytes of an id. */
const idBytes = 60;

/** Creates a page from items. Shares no memory with them. */
export function signaturePage(items: readonly Item[]): SignaturePage {
  const bounds = new Uint32Array(2 * items.length + 1);
  let end = 0;
  for (let at = 0; at < items.length; at++) {
    bounds[2 * at + 1] = end += items[at]?.["all"]?.B?.length ?? 0;
    bounds[2 * at + 2] = end += items[at]?.["text"]?.B?.length ?? 0;
  }
  const signatures = new Uint8Array(end);
  for (let at = 0; at < items.length; at++) {
    const { all, text } = items[at] as Item;
    if (all?.B !== undefined) signatures.set(all.B, bounds[2 * at]);
    if (text?.B !== undefined) signatures.set(text.B, bounds[2 * at + 1]);
  }
  return { ids: items.map((item) => item["sk"]?.S ?? ""), signatures, bounds };
}

/** Joins several pages. */
export function joinPages(pages: readonly SignaturePage[]): SignaturePage {
  const [first] = pages;
  if (pages.length === 1 && first !== undefined) return first;
  const bounds = [0];
  let start = 0;
  for (const page of pages) {
    for (const bound of page.bounds.subarray(1)) bounds.push(start + bound);
    start += page.signatures.length;
  }
  return {
    ids: pages.flatMap(({ ids }) => ids),
    signatures: Buffer.concat(pages.map(({ signatures }) => signatures)),
    bounds: Uint32Array.from(bounds),
  };
}

/** The part of a page with ids below one. */
export function pageBefore(page: SignaturePage, before: string): SignaturePage {
  // Newest first.
  const start = page.ids.findIndex((id) => id < before);
  if (start === 0) return page;
  const from = start < 0 ? page.ids.length : start;
  const offset = page.bounds[2 * from] as number;
  return {
    ids: page.ids.slice(from),
    signatures: page.signatures.subarray(offset),
    bounds: page.bounds.slice(2 * from).map((bound) => bound - offset),
  };
}

/** Bytes of memory. */
export function pageBytes({ ids, signatures, bounds }: SignaturePage): number {
  return ids.length * idBytes + signatures.length + bounds.byteLength;
}

/** Returns the ids of messages that may match according to their signatures. A message without one always may. */
export function idsThatMayMatch(page: SignaturePage, hashes: Uint32Array, decodedText: boolean): string[] {
  const { ids, signatures, bounds } = page;
  return ids.filter((_, at) => {
    const [all, text, end] = [bounds[2 * at], bounds[2 * at + 1], bounds[2 * at + 2]] as [
      number,
      number,
      number,
    ];
    if (decodedText && text < end) return mayContain(signatures, hashes, text, end);
    return all === text || mayContain(signatures, hashes, all, text);
  });
}

/** The part of an index that had settled when it was read. */
export interface SettledIndex<Page> {
  /** What it depends on: pages of another version are not used. */
  readonly version: string;
  /** Complete from this id on, and below the other. */
  readonly from: string;
  readonly before: string;
  /** Newest first. */
  readonly pages: readonly Page[];
}

/** Indexes of messages that have settled, by partition, up to a limit of bytes. */
export interface IndexCache<Page> {
  get(partition: string, version: string): SettledIndex<Page> | undefined;
  put(partition: string, settled: SettledIndex<Page>): void;
}

/** Creates a cache of at most `maxBytes`. Drops what was used least recently first, and all if other stores need the memory. */
export function indexCache<Page>(
  maxBytes: number,
  memory: Pick<SearchMemory, "add">,
  bytesOfPage: (page: Page) => number,
): IndexCache<Page> {
  const cached = new Map<string, { readonly settled: SettledIndex<Page>; readonly bytes: number }>();
  let bytes = 0;
  const share = memory.add(() => {
    cached.clear();
    bytes = 0;
  });
  const drop = (partition: string) => {
    bytes -= cached.get(partition)?.bytes ?? 0;
    cached.delete(partition);
  };
  return {
    get(partition, version) {
      const found = cached.get(partition);
      if (found?.settled.version !== version) return undefined;
      cached.delete(partition);
      cached.set(partition, found);
      share.use(bytes);
      return found.settled;
    },
    put(partition, settled) {
      drop(partition);
      const added = settled.pages.reduce((sum, page) => sum + bytesOfPage(page), 0);
      cached.set(partition, { settled, bytes: added });
      bytes += added;
      for (const oldest of cached.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
      share.use(bytes);
    },
  };
}
