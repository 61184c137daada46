import { type Clock, type CommittedChange, type DynamoPort, sleep } from "@tablekeep/core";
import { sleepUntilWoken } from "../signals.ts";
import type {
  ChangeBatch,
  ChangeRecord,
  ChangeSource,
  ReadChangesOptions,
  ShardPosition,
} from "./change-source.ts";
import { restoredError } from "./stream-errors.ts";

/** Dependencies of a source of commits. */
export interface CommitSettings {
  readonly watch: NonNullable<DynamoPort["watchStream"]>;
  readonly clock: Clock;
  /** Returns how long to wait for further changes after some were taken, in milliseconds. */
  readonly linger: () => number;
  /** The longest interval between two reads of the stream itself, in milliseconds: it may have been disabled. */
  readonly streamMs: number;
  /** Maximum number of waiting changes. If there are more, the stream is read instead. @default 20,000 */
  readonly maxWaiting?: number;
}

/** The longest wait for a change, in milliseconds. Progress is reported at least this often. */
const idleMs = 500;

/**
 * Returns a source for the stream of a backend in this process. It reads the stream until it has caught up with the changes that the backend
 * reports at each commit, and continues with those, so that changes are not read and decoded a second time. Sequence numbers have no gaps, so
 * they show whether the reports continue what was read; if they do not, the stream is read again.
 */
export function commitSource(stream: ChangeSource, settings: CommitSettings): ChangeSource {
  return { ...stream, read: (from, options) => readCommits(stream, settings, from, options) };
}

async function* readCommits(
  stream: ChangeSource,
  settings: CommitSettings,
  from: ReadonlyMap<string, bigint>,
  { writesOf, ...options }: ReadChangesOptions,
): AsyncGenerator<ChangeBatch> {
  if (writesOf === undefined) {
    yield* stream.read(from, options);
    return;
  }
  const { signal } = options;
  const sequences = new Map(from);
  const times = new Map(options.seenUntil);
  const note = ({ positions, gone = [] }: ChangeBatch) => {
    for (const [shard, { sequence, seenUntil }] of positions) {
      if (sequence !== undefined) sequences.set(shard, sequence);
      times.set(shard, seenUntil);
    }
    for (const shard of gone) for (const map of [sequences, times]) map.delete(shard);
  };
  while (!signal.aborted) {
    const commits = new Commits(stream.arn, settings, writesOf);
    try {
      for await (const batch of stream.read(sequences, { ...options, seenUntil: times })) {
        commits.checkRestored();
        note(batch);
        yield batch;
        if (commits.continues(batch)) break;
      }
      const streamAt = settings.clock.monotonic() + settings.streamMs;
      commits.checkRestored();
      while (!signal.aborted && commits.isWhole && settings.clock.monotonic() < streamAt) {
        const batch = commits.take();
        note(batch);
        yield batch;
        await commits.wait(batch.records.length > 0, signal);
        commits.checkRestored();
      }
    } finally {
      commits.stop();
    }
  }
}

/** The changes to one stream that were reported since this was created. */
class Commits {
  readonly #settings: CommitSettings;
  readonly #writesOf: NonNullable<ReadChangesOptions["writesOf"]>;
  readonly #stop: () => void;
  #waiting: ChangeRecord[] = [];
  #first: bigint | undefined;
  #last: bigint | undefined;
  /** The position of the shard after the changes that were taken. */
  #position: { readonly shard: string; readonly parents: readonly string[] } | undefined;
  #wake: (() => void) | undefined;
  /** False once a change is missing. */
  isWhole = true;
  #isRestored = false;
  readonly #arn: string;

  constructor(arn: string, settings: CommitSettings, writesOf: NonNullable<ReadChangesOptions["writesOf"]>) {
    this.#settings = settings;
    this.#writesOf = writesOf;
    this.#arn = arn;
    this.#stop = settings.watch(
      arn,
      (change) => this.#add(change),
      () => this.#dropAll(),
    );
  }

  stop(): void {
    this.#stop();
  }

  /** Whether the changes here continue what was read from the stream. Drops those that were read. */
  continues({ positions }: ChangeBatch): boolean {
    const [[shard, { sequence, closed, parents }] = none] = positions;
    if (positions.size !== 1 || closed || !this.isWhole) return false;
    if (sequence === undefined || this.#first === undefined || this.#first > sequence + 1n) return false;
    this.#waiting = this.#waiting.filter((record) => record.sequence > sequence);
    if (this.#last !== undefined && this.#last < sequence) this.#last = sequence;
    this.#position = { shard, parents };
    return true;
  }

  /** Throws `FEED_STREAM_RESTORED` if the backend has returned to an earlier state. */
  checkRestored(): void {
    if (this.#isRestored) throw restoredError(this.#arn);
  }

  #dropAll(): void {
    this.#isRestored = true;
    this.isWhole = false;
    this.#waiting = [];
    this.#wake?.();
  }

  #add(change: CommittedChange): void {
    const { kind, sequence } = change;
    // Already read from the stream.
    if (!this.isWhole || (this.#last !== undefined && sequence <= this.#last)) return;
    this.isWhole = this.#last === undefined || sequence === this.#last + 1n;
    this.#first ??= sequence;
    this.#last = sequence;
    if (kind !== "remove" && this.isWhole) this.#addWrites(change);
    if (this.#waiting.length > (this.#settings.maxWaiting ?? 20_000)) this.isWhole = false;
    if (!this.isWhole) this.#waiting = [];
    this.#wake?.();
  }

  #addWrites({ kind, sequence, shard, createdAt, image, before }: CommittedChange): void {
    const item = image();
    const keys = item ?? {};
    const old = before();
    // For every event: without spreading, because objects of one shape cost less.
    const change = item === undefined ? { kind, keys } : { kind, keys, image: item };
    const writes = this.#writesOf(old === undefined ? change : { ...change, before: old });
    if (writes.length > 0) this.#waiting.push({ kind, keys: {}, writes, sequence, shard, createdAt });
  }

  /** Returns all waiting changes. */
  take(): ChangeBatch {
    const records = this.#waiting;
    this.#waiting = [];
    const { shard, parents } = this.#position ?? { shard: "", parents: [] };
    const seenUntil = this.#settings.clock.now();
    const position: ShardPosition = { sequence: this.#last, seenUntil, closed: false, parents };
    return { records, positions: new Map([[shard, position]]) };
  }

  /** Waits a moment, so that several changes are taken together; if there are none, waits for the first. */
  async wait(isBusy: boolean, signal: AbortSignal): Promise<void> {
    const { clock, linger } = this.#settings;
    if (isBusy) await sleep(clock, linger(), signal).catch(() => {});
    if (this.#waiting.length > 0 || !this.isWhole) return;
    await sleepUntilWoken(clock, idleMs, signal, (wake) => {
      this.#wake = () => {
        if (this.#waiting.length > 0 || !this.isWhole) wake();
      };
      return () => {
        this.#wake = undefined;
      };
    });
  }
}

const none: readonly [string, ShardPosition] = [
  "",
  { sequence: undefined, seenUntil: 0, closed: true, parents: [] },
];
