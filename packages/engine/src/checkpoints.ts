import type { Database } from "./database/database.ts";
import { optionInvalid } from "./engine-error.ts";
import { recoverFromFault } from "./open-database.ts";
import type { Storage } from "./storage/storage.ts";

/**
 * A state of an engine that it can return to. It is released once nothing refers to it, and does not outlive the
 * engine.
 */
export interface Checkpoint {
  /** When it was taken, in milliseconds since 1970 by the engine's clock. */
  readonly takenAt: number;
}

/** Takes and restores the checkpoints of one engine. */
export class Checkpoints {
  readonly #database: Database;
  readonly #storage: Storage;
  readonly #states = new WeakMap<Checkpoint, object>();

  constructor(database: Database, storage: Storage) {
    this.#database = database;
    this.#storage = storage;
  }

  async take(): Promise<Checkpoint> {
    const { writes, clock } = this.#database;
    await writes.drain();
    const checkpoint: Checkpoint = { takenAt: clock.now() };
    this.#states.set(checkpoint, this.#storage.checkpoint());
    return checkpoint;
  }

  async restore(checkpoint: Checkpoint): Promise<void> {
    const state = this.#states.get(checkpoint);
    if (state === undefined) throw optionInvalid("checkpoint", "must be a checkpoint of this engine");
    const { writes, catalog, streams, streamWatchers, background, service } = this.#database;
    // A write that arrives while others are awaited has seen the former state.
    while (!writes.isIdle) await writes.drain();
    try {
      this.#storage.restore(state);
    } catch (fault) {
      throw recoverFromFault(this.#database, fault);
    } finally {
      // A restore that failed may have taken effect.
      writes.forgetEnds();
      streamWatchers.reportRestore();
    }
    catalog.reload(this.#storage);
    streams.reload(this.#storage);
    service.settle();
    background.start();
  }
}
