/** A change record that can be read. */
export interface ShownRecord {
  /** Its position among all records of the stream that were ever shown, from 1. Its sequence number is made of it. */
  readonly sequence: number;
  /** When the change was made, in milliseconds. */
  readonly time: number;
  /** The stored record. */
  readonly text: string;
}

/** A change record that cannot be read yet. */
export interface HiddenRecord {
  /** Its position in the order of commits. */
  readonly count: number;
  readonly shard: SimulatedShard;
  /** When it can be read, in milliseconds. */
  readonly showAt: number;
  readonly time: number;
  readonly text: string;
}

/** A shard of a simulated stream: the records of the items whose hash is in its range. */
export class SimulatedShard {
  readonly id: string;
  readonly index: number;
  readonly parent: SimulatedShard | undefined;
  /** From this hash, included, to that one, excluded. Hashes are from 0 to 1. */
  readonly range: readonly [from: number, to: number];
  /** The sequence number from which its records are. */
  readonly start: number;
  /** Records after which it closes. */
  readonly limit: number;
  readonly #records: ShownRecord[] = [];
  /** Records that belong to it, shown or not. */
  assigned = 0;
  /** It gets no further records. */
  full = false;
  /** The sequence number of the last trimmed record; 0 if there is none. */
  trimmedTo = 0;
  #last = 0;
  #shown = 0;

  constructor(init: Pick<SimulatedShard, "id" | "index" | "parent" | "range" | "start" | "limit">) {
    this.id = init.id;
    this.index = init.index;
    this.parent = init.parent;
    this.range = init.range;
    this.start = init.start;
    this.limit = init.limit;
  }

  covers(hash: number): boolean {
    return !this.full && hash >= this.range[0] && hash < this.range[1];
  }

  /** Whether it is full and all its records have been shown. */
  get isClosed(): boolean {
    return this.full && this.#shown === this.assigned;
  }

  /** Whether it is closed and all its records have been trimmed: it is listed no longer. */
  get isGone(): boolean {
    return this.isClosed && this.#records.length === 0 && this.#shown > 0;
  }

  /** The sequence number of the last shown record; that of its start if there is none. */
  get last(): number {
    return Math.max(this.#last, this.start);
  }

  show(record: ShownRecord): void {
    this.#records.push(record);
    this.#last = record.sequence;
    this.#shown++;
  }

  /** Removes the records that were made before a time. */
  trim(horizon: number): void {
    for (let first = this.#records[0]; first !== undefined && first.time < horizon; [first] = this.#records) {
      this.trimmedTo = first.sequence;
      this.#records.shift();
    }
  }

  /** Returns the shown records from a sequence number on. */
  from(sequence: number): readonly ShownRecord[] {
    return this.#records.filter((record) => record.sequence >= sequence);
  }
}
