import type { JournalWrite, Neighbors } from "@tablekeep/journal/changes";
import type { ChangeRecord } from "../stream/change-source.ts";

/** A write to add to the feed. */
export interface PendingWrite extends JournalWrite {
  /** The record that committed it; undefined if a sweep found it. */
  readonly shard?: string;
  readonly sequence?: bigint;
  /** About when it was committed, in milliseconds. */
  readonly createdAt: number;
  /** The write before it, if it was read. */
  before?: Neighbors["before"];
  /** Set if a later write of its id may already be in the feed. */
  late?: boolean;
}

/** Returns a write that a record commits. Without spreading: it is on the path of every event. */
export function pendingWrite(
  { persistenceId, first, last, mark, writer, tags }: JournalWrite,
  { shard, sequence, createdAt }: Pick<ChangeRecord, "shard" | "sequence" | "createdAt">,
): PendingWrite {
  return tags === undefined
    ? { persistenceId, first, last, mark, writer, shard, sequence, createdAt }
    : { persistenceId, first, last, mark, writer, tags, shard, sequence, createdAt };
}

/** The last known write of an id in the feed: other sequencers may have added more. */
interface Fed {
  last: number;
  mark: number;
  writer: number;
  /** When its record was created, or the time of the page that contains it. */
  at: number;
}

/** The number of remembered ids above which old ones are dropped. */
const maxIds = 200_000;
/** The times of events come from their writers, whose clocks differ from that of the stream. */
const skewMs = 60_000;

/**
 * Keeps the order within an id. A stream may show two events of one id in either order, because they are two items. A write waits
 * until the one before it is in the feed, or until the stream must have shown it. Follows the model in `simulation/feed`.
 */
export class WriteOrder {
  readonly #windowMs: number;
  readonly #emit: (write: PendingWrite) => void;
  #fed = new Map<string, Fed>();
  #held: PendingWrite[] = [];
  /** The time up to which every shard has been read. */
  seenUntil = 0;

  constructor(windowMs: number, emit: (write: PendingWrite) => void) {
    this.#windowMs = windowMs;
    this.#emit = emit;
  }

  get held(): readonly PendingWrite[] {
    return this.#held;
  }

  /** Whether the neighbors of a write must be read before it is placed. */
  needsNeighbors(write: PendingWrite): boolean {
    const known = this.#fed.get(write.persistenceId);
    return write.first === 1 ? known !== undefined : !isNext(known, write);
  }

  /** Emits a write, or holds it. */
  place(write: PendingWrite): void {
    const verdict = this.#judge(write);
    if (verdict === "hold") {
      this.#held.push(write);
      return;
    }
    if (verdict === "late") write.late = true;
    this.note(write, write.createdAt);
    this.#emit(write);
  }

  /** Emits the writes that no longer need to be held. */
  settle(): void {
    for (let isChanged = this.#held.length > 0; isChanged; ) {
      const held = this.#held.sort((one, two) => one.createdAt - two.createdAt || one.first - two.first);
      isChanged = false;
      for (const write of [...held]) {
        this.#held.splice(this.#held.indexOf(write), 1);
        const count = this.#held.length;
        this.place(write);
        if (this.#held.length === count) isChanged = true;
      }
    }
    if (this.#fed.size > maxIds) this.#forget();
  }

  #judge(write: PendingWrite): "emit" | "hold" | "late" {
    const { persistenceId, first, before, createdAt } = write;
    const known = this.#fed.get(persistenceId);
    const hasPassed = createdAt + this.#windowMs < this.seenUntil;
    if (this.#held.length > 0 && this.#held.some((other) => precedes(other, write))) return "hold";
    // If an id begins again after a purge, all of its earlier writes must come first.
    const isAhead = createdAt > this.seenUntil + this.#windowMs;
    if (first === 1) return (known === undefined && !isAhead) || hasPassed ? "emit" : "hold";
    if (known !== undefined) {
      if (isNext(known, write)) return "emit";
      // Either it is late, or the id was purged and the first write after that is still to come.
      if (first <= known.last) return hasPassed ? "late" : "hold";
    }
    // If the write before it is deleted, nothing is known about the record of that write.
    const isOld = before !== undefined && before.time + this.#windowMs + skewMs < this.seenUntil;
    return isOld || hasPassed ? "emit" : "hold";
  }

  /** Notes a write that is in the feed, or about to be. An id begins, or begins again after a purge, with number 1. */
  note(
    write: Pick<PendingWrite, "persistenceId" | "first" | "last" | "mark" | "writer" | "late">,
    at: number,
  ): void {
    const { persistenceId, first, last, mark, writer, late } = write;
    const known = this.#fed.get(persistenceId);
    if (known === undefined) {
      this.#fed.set(persistenceId, { last, mark, writer, at });
      return;
    }
    known.at = Math.max(at, known.at);
    if ((first !== 1 || late === true) && last <= known.last) return;
    known.last = last;
    known.mark = mark;
    known.writer = writer;
  }

  /** Notes a write in a page, unless a later one of its id is known: pages are read backwards. */
  warm(write: Pick<PendingWrite, "persistenceId" | "last" | "mark">, at: number): void {
    const { persistenceId, last, mark } = write;
    if (!this.#fed.has(persistenceId)) this.#fed.set(persistenceId, { last, mark, writer: 0, at });
  }

  /** Whether a write is above everything that is known of its id. */
  isAbove({ persistenceId, last }: Pick<PendingWrite, "persistenceId" | "last">): boolean {
    return last > (this.#fed.get(persistenceId)?.last ?? 0);
  }

  /** Removes and returns a held write that another sequencer has added. */
  removeHeld(isSame: (write: PendingWrite) => boolean): PendingWrite | undefined {
    const at = this.#held.findIndex(isSame);
    return at < 0 ? undefined : this.#held.splice(at, 1)[0];
  }

  /** Forgets the ids that have not been seen for longer than the window. */
  #forget(): void {
    const held = new Set(this.#held.map(({ persistenceId }) => persistenceId));
    for (const [id, { at }] of this.#fed)
      if (at + 2 * this.#windowMs < this.seenUntil && !held.has(id)) this.#fed.delete(id);
  }
}

/** Whether a write follows the last known one of its id. Its number alone does not prove it: the id may have been purged in between. */
function isNext(known: Fed | undefined, { first, writer, mark, before }: PendingWrite): boolean {
  if (known === undefined || known.last + 1 !== first) return false;
  // Streams of keys only show no marks.
  if (mark === 0) return true;
  if (writer !== 0 && known.writer === writer) return true;
  return before !== undefined && before.mark === known.mark;
}

/** Whether a held write of the same id comes before another. By time, and by number where the times are the same. */
function precedes(other: PendingWrite, { persistenceId, first, createdAt }: PendingWrite): boolean {
  if (other.persistenceId !== persistenceId || other.createdAt > createdAt) return false;
  return other.first < first || (first === 1 && other.createdAt < createdAt);
}
