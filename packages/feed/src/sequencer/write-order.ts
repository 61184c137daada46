import type { JournalWrite, Neighbors } from "@tablekeep/journal/changes";

/** A write to add to the feed. */
export interface PendingWrite extends JournalWrite {
  /** The record that committed it; undefined if a sweep found it. */
  readonly shard?: string;
  readonly sequence?: bigint;
  /** About when it was committed, in milliseconds. */
  readonly createdAt: number;
  /** The write before it, if it was read. */
  before?: Neighbors["before"];
  /** It may follow a later write of its id. */
  late?: boolean;
}

/** The last that was fed of an id. A lower bound: others may have fed more. */
interface Fed {
  last: number;
  mark: number;
  writer: number;
  /** The creation time of its record, or when it was found in a page. */
  at: number;
}

/** How many ids are remembered before old ones are forgotten. */
const maxIds = 200_000;
/** Times in events are those of the writers, whose clocks differ from that of the stream. */
const skewMs = 60_000;

/**
 * Keeps the order within an id. A stream may show two events of one id in either order, because they are two items. A write waits
 * until the one before it has been fed, or until its record must have been read. Follows the model in `simulation/feed`.
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

  /** Emits what no longer needs to be held. */
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
    if (this.#held.some((other) => precedes(other, write))) return "hold";
    // Where an id begins again, all of its earlier life must have come.
    const isAhead = createdAt > this.seenUntil + this.#windowMs;
    if (first === 1) return (known === undefined && !isAhead) || hasPassed ? "emit" : "hold";
    if (known !== undefined) {
      if (isNext(known, write)) return "emit";
      // Late, or of a life whose beginning is on its way.
      if (first <= known.last) return hasPassed ? "late" : "hold";
    }
    // One that is deleted says nothing about its record.
    const isOld = before !== undefined && before.time + this.#windowMs + skewMs < this.seenUntil;
    return isOld || hasPassed ? "emit" : "hold";
  }

  /** Notes what is in the feed, or about to be. Number 1 begins a life of an id. */
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

  /** Notes a write in a page, if nothing is known of its id: pages are read from the newest back. */
  warm(write: Pick<PendingWrite, "persistenceId" | "last" | "mark">, at: number): void {
    const { persistenceId, last, mark } = write;
    if (!this.#fed.has(persistenceId)) this.#fed.set(persistenceId, { last, mark, writer: 0, at });
  }

  /** Whether a write is above everything that is known of its id. */
  isAbove({ persistenceId, last }: Pick<PendingWrite, "persistenceId" | "last">): boolean {
    return last > (this.#fed.get(persistenceId)?.last ?? 0);
  }

  /** Removes and returns a held write that another sequencer has fed. */
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

/** Whether a write follows what is fed of its id. The number alone does not say it: it may be that of the next life. */
function isNext(known: Fed | undefined, { first, writer, mark, before }: PendingWrite): boolean {
  if (known === undefined || known.last + 1 !== first) return false;
  // Without images there are no marks.
  if (mark === 0) return true;
  if (writer !== 0 && known.writer === writer) return true;
  return before !== undefined && before.mark === known.mark;
}

/** Whether a held write of the same id comes before another. By time, and by number where the times are the same. */
function precedes(other: PendingWrite, { persistenceId, first, createdAt }: PendingWrite): boolean {
  if (other.persistenceId !== persistenceId || other.createdAt > createdAt) return false;
  return other.first < first || (first === 1 && other.createdAt < createdAt);
}
