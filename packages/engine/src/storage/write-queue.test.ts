import { once } from "node:events";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { HeldDisk, SlowStorage, turns } from "../../test/slow-storage.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { lastOfSeries, scanSeries, seriesRegion } from "./series.ts";
import { type KeyRange, type Storage, StorageFault, type StorageKey } from "./storage.ts";
import { WriteQueue } from "./write-queue.ts";

type Writes = ReadonlyMap<StorageKey, string | undefined>;
const translate = (fault: unknown) => new Error("translated", { cause: fault });

/** A storage whose commits fail at random. */
class UnreliableStorage implements Storage {
  readonly #inner = new MemoryStorage();
  readonly #chance: () => number;
  readonly #inBackground: boolean;
  commits = 0;

  constructor(chance: () => number, inBackground = false) {
    this.#chance = chance;
    this.#inBackground = inBackground;
  }

  commitInBackground(writes: Writes, ended: (fault?: unknown) => void): boolean {
    if (!this.#inBackground) return false;
    void turns(Math.floor(this.#chance() * 4)).then(() => {
      try {
        this.commit(writes);
      } catch (fault) {
        ended(fault);
        return;
      }
      ended();
    });
    return true;
  }

  get(key: StorageKey): string | undefined {
    return this.#inner.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    this.#inner.scan(range, visit);
  }

  commit(writes: Writes): void {
    this.commits++;
    if (this.#chance() < 0.3) throw new StorageFault("full", "the disk is full");
    this.#inner.commit(writes);
  }

  checkpoint(): object {
    return this.#inner.checkpoint();
  }

  restore(checkpoint: ReturnType<MemoryStorage["checkpoint"]>): void {
    this.#inner.restore(checkpoint);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

const series = `${seriesRegion}abcd`;

describe("the write queue", () => {
  test.each(["at once", "after the turn", "in the background"])(
    "shows each write the state that earlier ones left, with and without failed commits (committed %s)",
    async (when) => {
      for (let seed = 1; seed <= 60; seed++) {
        const random = seededRandom(seed);
        const storage = new UnreliableStorage(random, when === "in the background");
        const queue = new WriteQueue(storage, {
          translate,
          immediate: when === "at once",
          lastOf: (name) => lastOfSeries(storage, name),
        });
        const heard = new Map<string, number[]>();
        const durable: string[] = [];
        const reported: [number, string][] = [];
        const increment = async (key: string, reject: boolean) => {
          await queue.ready();
          try {
            const value = await queue.submit((transaction) => {
              const next = Number(transaction.get(key) ?? 0) + 1;
              transaction.put(key, String(next));
              expect(transaction.get(key)).toBe(String(next));
              transaction.onCommitted(() => durable.push(`${key}=${next}`));
              transaction.append(series, `${key}=${next}`, (number) =>
                reported.push([number, `${key}=${next}`]),
              );
              if (reject) throw new RangeError("rejected");
              return next;
            });
            expect(durable).toContain(`${key}=${value}`);
            heard.set(key, [...(heard.get(key) ?? []), value]);
          } catch (error) {
            expect((error as Error).message).toMatch(/^(translated|rejected)$/);
          }
        };
        const writes: Promise<void>[] = [];
        for (let at = 0; at < 120; at++) {
          writes.push(increment(random.pick(["a", "b", "c"]), random.chance(0.2)));
          if (random.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
        }
        await queue.drain();
        await Promise.all(writes);
        for (const key of ["a", "b", "c"]) {
          const values = (heard.get(key) ?? []).sort((one, two) => one - two);
          expect(values).toEqual(values.map((_, at) => at + 1));
          expect(Number(storage.get(key) ?? 0)).toBe(values.length);
        }
        expect(reported).toEqual(durable.map((change, at) => [at + 1, change]));
        const stored: [number, string][] = [];
        scanSeries(storage, series, 0, (number, record) => stored.push([number, record]) > 0);
        expect(stored).toEqual(reported);
      }
    },
  );

  test("commits the writes of one turn together, and resolves them in order", async () => {
    const storage = new UnreliableStorage(() => 0.9);
    const queue = new WriteQueue(storage, { translate, immediate: false, lastOf: () => 0 });
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        queue.submit((transaction) => transaction.put(`k${at}`, "v")).then(() => order.push(at)),
      ),
    );
    expect(storage.commits).toBe(1);
    expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  test("rejects a write that failed because of another only once that other is durable", async () => {
    const storage = new UnreliableStorage(() => 0.4);
    const queue = new WriteQueue(storage, { translate, immediate: false, lastOf: () => 0 });
    const events: string[] = [];
    const first = queue.submit((transaction) => transaction.put("k", "1")).then(() => events.push("first"));
    const second = queue
      .submit((transaction) => {
        if (transaction.get("k") !== undefined) throw new RangeError("taken");
      })
      .catch(() => events.push(storage.get("k") === "1" ? "second, durable" : "second, too early"));
    await Promise.all([first, second]);
    expect(events).toEqual(["first", "second, durable"]);
  });

  test("accepts no write while a commit is in flight, and then all that waited in one commit", async () => {
    const disk = new HeldDisk();
    const storage = new SlowStorage(disk.flush);
    const queue = new WriteQueue(storage, { translate, immediate: false, lastOf: () => 0 });
    const first = queue.submit((transaction) => transaction.put("a", "1"));
    await turns(1);
    expect([queue.isBusy, queue.isIdle]).toEqual([true, false]);
    await expect(queue.submit((transaction) => transaction.put("b", "1"))).rejects.toThrow(/in flight/);
    expect(storage.get("b")).toBeUndefined();
    const late = ["c", "d", "e"].map(async (key) => {
      await queue.ready();
      return queue.submit((transaction) => transaction.put(key, transaction.get("a") ?? "too early"));
    });
    await turns(3);
    expect(storage.commits).toEqual([["a"]]);
    disk.release();
    await first;
    await turns(2);
    expect(storage.commits).toEqual([["a"], ["c", "d", "e"]]);
    let drained = false;
    const draining = queue.drain().then(() => {
      drained = true;
    });
    await turns(3);
    expect(drained).toBe(false);
    disk.release();
    await Promise.all([...late, draining]);
    expect([storage.get("b"), storage.get("c"), storage.get("e")]).toEqual([undefined, "1", "1"]);
  });

  test("drain waits for pending commits", async () => {
    const storage = new UnreliableStorage(() => 0.4);
    const queue = new WriteQueue(storage, { translate, immediate: false, lastOf: () => 0 });
    void queue.submit((transaction) => transaction.put("k", "1"));
    expect(queue.isIdle).toBe(false);
    await queue.drain();
    expect([queue.isIdle, storage.get("k")]).toEqual([true, "1"]);
  });

  test.each([true, false])(
    "a hook that throws fails neither a durable write nor the other hooks (immediate: %s)",
    async (immediate) => {
      const warned = once(process, "warning");
      const storage = new UnreliableStorage(() => 0.9);
      const queue = new WriteQueue(storage, { translate, immediate, lastOf: () => 0 });
      const ran: string[] = [];
      const writes = ["a", "b", "c"].map((key) =>
        queue.submit((transaction) => {
          transaction.put(key, "v");
          transaction.onCommitted(() => {
            if (key === "b") throw new Error("a hook failed");
            ran.push(key);
          });
          return key;
        }),
      );
      expect(await Promise.all(writes)).toEqual(["a", "b", "c"]);
      expect(ran).toEqual(["a", "c"]);
      expect((await warned)[0]).toMatchObject({ message: "a hook failed" });
    },
  );
});
