import type { EventRow } from "../rows/event-row.ts";

/** What of a row shows who wrote it. */
export type Written = Pick<EventRow, "writerUuid" | "writeId" | "deleted">;

/**
 * How many superseded writers a replay filter remembers: Akka's default for `max-old-writers`. It forgets the one that was superseded
 * first.
 */
export const maxOldWriters = 10;

/**
 * How many different writers, each of which wrote without interruption, show all that a filter remembers. At their begin it knows at most
 * 11 others: the 10 superseded ones and the current one, and may drop events of those only. So 12 of the first 23 certainly pass, after
 * which the filter has forgotten the 11. From then on each writer passes, and after 11 more it knows these and nothing else.
 */
const decisiveWriters = 3 * (maxOldWriters + 1) + 1;

/** How many changes of the writer are held in memory. */
const maxChanges = 10_000;

/**
 * Collects the writers of an id from its end to its begin, until what came before cannot change which writers are superseded. Holds one
 * entry for all events that a writer wrote without interruption.
 */
export class EarlierWriters {
  /** The changes of the writer, the last one first. */
  readonly #changes: Written[] = [];
  /** The last different writers without one that occurs twice, the last one first. */
  readonly #different: string[] = [];
  /** Whether no earlier event can change the result. */
  isDecided = false;

  /** Whether there are more changes of the writer than may be held. */
  get isTooLong(): boolean {
    return this.#changes.length > maxChanges;
  }

  /** Adds the changes within events that are before all others; the result of {@link changesOf}. */
  addBefore(changes: readonly Written[]): void {
    for (const change of changes.toReversed()) {
      if (this.isDecided) return;
      const later = this.#changes.at(-1);
      if (later !== undefined && isSameWriter(change, later)) continue;
      this.#changes.push(change);
      if (change.writeId !== undefined) continue;
      const again = this.#different.indexOf(change.writerUuid);
      if (again >= 0) this.#different.splice(0, again + 1);
      this.#different.push(change.writerUuid);
      this.isDecided = this.#different.length >= decisiveWriters;
    }
  }

  /** The changes in the order in which they were written. */
  inOrder(): readonly Written[] {
    return this.#changes.toReversed();
  }
}

/** Adds to a list the writer of a row, if the row before it has another one. */
export function addChange(changes: Written[], { writerUuid, writeId, deleted }: Written): void {
  // A filter does not look at these.
  if (deleted === true || writerUuid === "") return;
  const change = { writerUuid, writeId };
  const last = changes.at(-1);
  if (last === undefined || !isSameWriter(change, last)) changes.push(change);
}

/** Whether a filter treats two rows in a row as one. Our writers are not remembered, so all of ours are the same. */
function isSameWriter(one: Written, other: Written): boolean {
  if (one.writeId !== undefined || other.writeId !== undefined)
    return one.writeId !== undefined && other.writeId !== undefined;
  return one.writerUuid === other.writerUuid;
}
