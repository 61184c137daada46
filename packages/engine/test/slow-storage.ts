import { MemoryStorage } from "../src/storage/memory-storage.ts";
import type { KeyRange, Storage, StorageKey } from "../src/storage/storage.ts";

type Writes = ReadonlyMap<StorageKey, string | undefined>;

/** A storage in memory whose commits end when `flush` resolves, or fail when it rejects, as on a slow disk. */
export class SlowStorage implements Storage {
  readonly #inner = new MemoryStorage();
  readonly #flush: () => Promise<void>;
  #inFlight = false;
  /** Keys in each commit that has begun. */
  readonly commits: StorageKey[][] = [];

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  get(key: StorageKey): string | undefined {
    return this.#inner.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    this.#inner.scan(range, visit);
  }

  commit(writes: Writes): void {
    this.#checkIdle();
    this.#inner.commit(writes);
  }

  commitInBackground(writes: Writes, ended: (fault?: unknown) => void): boolean {
    this.#checkIdle();
    this.#inFlight = true;
    this.commits.push([...writes.keys()]);
    this.#flush().then(
      () => {
        this.#inFlight = false;
        this.#inner.commit(writes);
        ended();
      },
      (fault) => {
        this.#inFlight = false;
        ended(fault);
      },
    );
    return true;
  }

  checkpoint(): object {
    this.#checkIdle();
    return this.#inner.checkpoint();
  }

  restore(checkpoint: ReturnType<MemoryStorage["checkpoint"]>): void {
    this.#checkIdle();
    this.#inner.restore(checkpoint);
  }

  /** Keeps what is stored, so that it can be opened again. */
  async close(): Promise<void> {
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.#inFlight) throw new Error("a commit is in flight");
  }
}

/** Resolves after some turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
}

/** A disk that flushes when the test lets it. */
export class HeldDisk {
  #waiting: { resolve: () => void; reject: (fault: unknown) => void }[] = [];

  readonly flush = (): Promise<void> =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });

  get flushes(): number {
    return this.#waiting.length;
  }

  /** Ends the flush in flight, or lets it fail. */
  release(fault?: unknown): void {
    const [first] = this.#waiting.splice(0, 1);
    if (first === undefined) throw new Error("no flush is in flight");
    if (fault === undefined) first.resolve();
    else first.reject(fault);
  }
}
