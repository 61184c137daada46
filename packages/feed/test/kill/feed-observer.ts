import type { ReadLine } from "./start-feed-child.ts";

/**
 * What a reader must see: each event once, those of an id in order, offsets without a gap. Knows nothing of pages; it is told what a reader was
 * given, across its restarts.
 */
export class FeedObserver {
  readonly problems: string[] = [];
  readonly names = new Set<string>();
  /** Where the reader continues. */
  position = "start";
  readonly #offsets = new Map<number, number>();
  readonly #numbers = new Map<string, number>();

  add({ persistenceId, sequenceNr, slice, offset, late, position, name }: ReadLine): void {
    const shown = `${persistenceId} ${sequenceNr} (${name}, slice ${slice}, offset ${offset})`;
    if (this.names.has(name)) this.problems.push(`${shown}: seen twice`);
    this.names.add(name);
    const expected = this.#offsets.get(slice) ?? 0;
    if (offset !== expected) this.problems.push(`${shown}: expected offset ${expected}`);
    this.#offsets.set(slice, offset + 1);
    const before = this.#numbers.get(persistenceId) ?? 0;
    if (sequenceNr !== before + 1) this.problems.push(`${shown}: after number ${before}`);
    this.#numbers.set(persistenceId, sequenceNr);
    if (late) this.problems.push(`${shown}: late`);
    this.position = position;
  }
}
