import type { Item } from "@tablekeep/core";
import type { Checkpoint, Engine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import { expect } from "vitest";
import {
  type Journal,
  JournalError,
  type JournalOptions,
  openJournal,
  openSnapshots,
  type Snapshots,
} from "../src/index.ts";
import { engineWith, itemsOf } from "./journal-world.ts";

const clock = fakeClock();

/** A packed journal whose items are small, so that few events make several. */
export const damagedOptions = { table: "events", layout: "packed", maxItemSize: 4096, clock } as const;

/** The result of a call. Only errors of the journal are results. */
export type Result<Value> = { readonly value: Value } | { readonly error: JournalError };

/** Runs a call while time goes by. */
export async function attempt<Value>(call: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return { value: await clock.autoAdvance(call) };
  } catch (error) {
    if (error instanceof JournalError) return { error };
    throw error;
  }
}

/** The events of a replay, even of one that fails. */
export interface Replayed {
  readonly numbers: readonly number[];
  readonly failed: boolean;
  readonly code?: string;
}

/** A packed journal in memory with an id `a`, which is damaged again and again, always from the same state. */
export class DamagedWorld {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly snapshots: Snapshots;
  readonly #whole: Checkpoint;

  private constructor(engine: Engine, journal: Journal, snapshots: Snapshots, whole: Checkpoint) {
    this.engine = engine;
    this.journal = journal;
    this.snapshots = snapshots;
    this.#whole = whole;
  }

  /** Opens the journal, and beside it the tables of `others`; `fill` writes what is there before any damage. */
  static async open(
    others: readonly JournalOptions[],
    fill: (journal: Journal, snapshots: Snapshots) => Promise<void>,
  ): Promise<DamagedWorld> {
    const engine = await engineWith(damagedOptions, ...others);
    const [journal, snapshots] = await clock.autoAdvance(async () => {
      const opened = await openJournal(engine, damagedOptions);
      const beside = await openSnapshots(engine, { journal: damagedOptions });
      await fill(opened, beside);
      return [opened, beside] as const;
    });
    return new DamagedWorld(engine, journal, snapshots, await engine.checkpoint());
  }

  /** Restores everything, and then puts another item in the place of `victim`; undefined: none. */
  async damage(victim: Item, item: Item | undefined): Promise<void> {
    await this.engine.restore(this.#whole);
    const Key = { par: victim["par"], num: victim["num"] } as Item;
    if (item === undefined) await this.engine.deleteItem({ TableName: "events", Key });
    else await this.engine.putItem({ TableName: "events", Item: item });
  }

  /** Replays `a`. Every event that is returned must be the one that was written. */
  async replayed(from: number): Promise<Replayed> {
    const numbers: number[] = [];
    const written: (number | undefined)[] = [];
    const result = await attempt(async () => {
      for await (const { sequenceNr, payload } of this.journal.replay("a", { from })) {
        written.push((payload as { readonly n?: number }).n);
        numbers.push(sequenceNr);
      }
    });
    expect(written).toEqual(numbers);
    return "error" in result
      ? { numbers, failed: true, code: result.error.code }
      : { numbers, failed: false };
  }

  /** All items of the journal, by their keys. */
  async items(): Promise<Map<string, Item>> {
    return new Map((await itemsOf(this.engine, "events")).map((item) => [keyText(item), item]));
  }
}

/** The key of an item, for messages and maps. */
export function keyText({ par, num }: Item): string {
  return `${par?.S} ${num?.N}`;
}

/** A copy of the bytes with one bit changed. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, place) => (place === at ? byte ^ 1 : byte));
}
