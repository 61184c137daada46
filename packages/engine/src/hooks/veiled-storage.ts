import type { KeyRange, Storage, StorageKey } from "../storage/storage.ts";
import type { Veil } from "./veil.ts";

/** A storage as readers see it through a veil. */
export class VeiledStorage implements Storage {
  readonly #storage: Storage;
  readonly #veil: Veil;

  constructor(storage: Storage, veil: Veil) {
    this.#storage = storage;
    this.#veil = veil;
  }

  get(key: StorageKey): string | undefined {
    const view = this.#veil.isEmpty ? undefined : this.#veil.viewOf(key);
    return view === undefined ? this.#storage.get(key) : view.value;
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (this.#veil.isEmpty) this.#storage.scan(range, visit);
    else this.#scanVeiled(range, visit);
  }

  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void {
    this.#storage.commit(writes);
  }

  checkpoint(): object {
    return this.#storage.checkpoint();
  }

  restore(checkpoint: object): void {
    this.#veil.lift();
    this.#storage.restore(checkpoint);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  /** Merges the old values of covered keys into the stored ones. */
  #scanVeiled(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    const covered = this.#veil.within(range.start, range.end);
    if (range.reverse) covered.reverse();
    const isBefore = (one: StorageKey, two: StorageKey) => (range.reverse ? one > two : one < two);
    let at = 0;
    const visitCovered = (limit: StorageKey | undefined): boolean => {
      for (; at < covered.length; at++) {
        const [key, value] = covered[at] as (typeof covered)[number];
        if (limit !== undefined && !isBefore(key, limit)) return true;
        if (value !== undefined && !visit(key, value)) return false;
      }
      return true;
    };
    let goOn = true;
    this.#storage.scan(range, (key, value) => {
      goOn = visitCovered(key) && (covered[at]?.[0] === key || visit(key, value));
      return goOn;
    });
    if (goOn) visitCovered(undefined);
  }
}
