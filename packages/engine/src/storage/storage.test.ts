import { cpSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FolderStorage, type FolderStorageOptions } from "./folder-storage.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { keyAfter, prefixEnd, type Storage } from "./storage.ts";

/** The model: entries in a list that is sorted for each read. */
class ListModel {
  entries: (readonly [string, string])[] = [];

  commit(writes: ReadonlyMap<string, string | undefined>): void {
    for (const [key, value] of writes) {
      this.entries = this.entries.filter(([each]) => each !== key);
      if (value !== undefined) this.entries.push([key, value]);
    }
  }

  scan(start: string, end: string, reverse: boolean): (readonly [string, string])[] {
    const found = this.entries.filter(([key]) => key >= start && key < end);
    found.sort(([one], [two]) => (one < two ? -1 : 1));
    return reverse ? found.reverse() : found;
  }
}

const key = fc.string({
  unit: fc.constantFrom("\0", "\x01", "a", "b", "\xfe", "\xff"),
  minLength: 1,
  maxLength: 4,
});
const value = fc.oneof(fc.string({ maxLength: 5 }), fc.constant("ä€𝄞".repeat(50)), fc.constant(""));

type Step =
  | { readonly do: "commit"; readonly writes: readonly (readonly [string, string | undefined])[] }
  | {
      readonly do: "scan";
      readonly bounds: readonly [string, string];
      readonly reverse: boolean;
      readonly limit: number;
    }
  | { readonly do: "checkpoint" }
  | { readonly do: "restore"; readonly which: number };

const write = fc.tuple(
  key,
  fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(undefined) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("commit"), writes: fc.array(write, { maxLength: 12 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("scan"),
      bounds: fc.tuple(key, key),
      reverse: fc.boolean(),
      limit: fc.constantFrom(1, 2, 1000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("checkpoint") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore"), which: fc.nat({ max: 4 }) }) },
);

function scanOf(
  storage: Storage,
  start: string,
  end: string,
  reverse: boolean,
  limit: number,
): [string, string][] {
  const found: [string, string][] = [];
  storage.scan({ start, end, reverse }, (each, text) => found.push([each, text]) < limit);
  return found;
}

type Commit = (writes: ReadonlyMap<string, string | undefined>) => Promise<void>;

/** Commits off the event loop; until it ends, reads must show the former state. */
const inBackground =
  (storage: Storage): Commit =>
  async (writes) => {
    const before = scanOf(storage, "\0", "\xff\xff\xff\xff\xff", false, 1e9);
    const expectBefore = () => {
      expect(scanOf(storage, "\0", "\xff\xff\xff\xff\xff", false, 1e9)).toEqual(before);
      for (const key of writes.keys())
        expect(storage.get(key)).toBe(before.find(([known]) => known === key)?.[1]);
    };
    let isOver = false;
    const committed = new Promise<void>((resolve, reject) => {
      const begun = storage.commitInBackground?.(writes, (fault) => {
        isOver = true;
        if (fault === undefined) resolve();
        else reject(fault);
      });
      expect(begun).toBe(true);
    });
    while (!isOver) {
      expectBefore();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await committed;
  };

async function runSteps(
  storage: Storage,
  steps: readonly Step[],
  commit: Commit = async (writes) => storage.commit(writes),
): Promise<void> {
  const model = new ListModel();
  const points: { state: object; entries: ListModel["entries"] }[] = [];
  for (const each of steps) {
    switch (each.do) {
      case "commit":
        await commit(new Map(each.writes));
        model.commit(new Map(each.writes));
        for (const [name] of each.writes) {
          expect(storage.get(name)).toBe(model.entries.find(([known]) => known === name)?.[1]);
        }
        break;
      case "scan": {
        const [start, end] = each.bounds;
        const expected = model.scan(start, end, each.reverse).slice(0, each.limit);
        expect(scanOf(storage, start, end, each.reverse, each.limit)).toEqual(expected);
        break;
      }
      case "checkpoint":
        points.push({ state: storage.checkpoint(), entries: [...model.entries] });
        break;
      case "restore": {
        const point = points[each.which % Math.max(1, points.length)];
        if (point === undefined) break;
        storage.restore(point.state);
        model.entries = [...point.entries];
      }
    }
  }
  expect(scanOf(storage, "\0", "\xff\xff\xff\xff\xff", false, 1e9)).toEqual(
    model.scan("\0", "\xff\xff\xff\xff\xff", false),
  );
}

let base = "";
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "engine-storage-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe("a storage behaves like a sorted list", () => {
  test("in memory", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => runSteps(new MemoryStorage(), steps)),
      { numRuns: 300 },
    );
  });

  test("in memory, with enough entries for many leaves", async () => {
    const storage = new MemoryStorage();
    const model = new ListModel();
    const writes = new Map<string, string | undefined>();
    for (let at = 0; at < 3000; at++) writes.set(String((at * 7919) % 3001).padStart(5, "0"), String(at));
    storage.commit(writes);
    model.commit(writes);
    const point = storage.checkpoint();
    const removed = new Map(
      [...writes.keys()].filter((_, at) => at % 3 !== 0).map((each) => [each, undefined]),
    );
    storage.commit(removed);
    const after = model.scan("0", "9", false).filter(([each]) => !removed.has(each));
    expect(scanOf(storage, "0", "9", false, 1e9)).toEqual(after);
    expect(scanOf(storage, "0", "9", true, 1e9)).toEqual([...after].reverse());
    storage.restore(point);
    expect(scanOf(storage, "0", "9", true, 1e9)).toEqual(model.scan("0", "9", true));
  });

  test("in a folder", async () => {
    let folders = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const path = join(base, String(++folders));
        const storage = await FolderStorage.open(path, { durable: false });
        try {
          await runSteps(storage, steps);
        } finally {
          await storage.close();
          await rm(path, { recursive: true });
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["whose log is never full", undefined],
    ["whose log is often full", 300],
  ])("in a durable folder %s", async (name, maxLogBytes) => {
    let folders = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const path = join(base, `${name}-${++folders}`);
        const storage = await FolderStorage.open(path, { maxLogBytes });
        try {
          await runSteps(storage, steps);
        } finally {
          await storage.close();
          await rm(path, { recursive: true });
        }
      }),
      { numRuns: 40 },
    );
  });

  test("in a folder whose commits do not wait on the event loop", async () => {
    let folders = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const path = join(base, `background-${++folders}`);
        const storage = await FolderStorage.open(path, { slowFlushMs: 0 });
        try {
          await runSteps(storage, steps, inBackground(storage));
        } finally {
          await storage.close();
        }
      }),
      { numRuns: 15 },
    );
  });

  test.each([
    ["at once", undefined],
    ["in the background", 0],
  ])("in a folder, with keys and values as long as DynamoDB's, committed %s", async (name, slowFlushMs) => {
    const storage = await FolderStorage.open(join(base, name), { slowFlushMs });
    const [longKey, longValue] = ["k".repeat(4000), "ä".repeat(400_000)];
    const many = Array.from({ length: 3000 }, (_, at) => [`m${at}`, `v${at}`] as const);
    const writes = new Map([[longKey, longValue], ...many]);
    if (slowFlushMs === undefined) storage.commit(writes);
    else await inBackground(storage)(writes);
    expect(scanOf(storage, "m", "n", false, 1e9).length).toBe(3000);
    expect(storage.get(longKey)).toBe(longValue);
    expect(scanOf(storage, longKey, keyAfter(longKey), false, 9)).toEqual([[longKey, longValue]]);
    await storage.close();
    const again = await FolderStorage.open(join(base, name));
    expect(again.get(longKey)).toBe(longValue);
    await again.close();
  });
});

/** A folder whose process is killed now and then, and whose next one may have other options. */
class CrashingFolder {
  readonly #name: string;
  #crashes = 0;
  storage: FolderStorage;

  private constructor(name: string, storage: FolderStorage) {
    this.#name = name;
    this.storage = storage;
  }

  static async open(name: string, options: FolderStorageOptions): Promise<CrashingFolder> {
    return new CrashingFolder(name, await FolderStorage.open(join(base, name), options));
  }

  /** Continues in another process, which finds the files as they are now. */
  async crash(options: FolderStorageOptions): Promise<void> {
    const killed = this.storage;
    const path = join(base, `${this.#name}-${++this.#crashes}`);
    cpSync(killed.path, path, { recursive: true });
    rmSync(join(path, "owner.json"));
    this.storage = await FolderStorage.open(path, options);
    await killed.close();
    rmSync(killed.path, { recursive: true });
  }

  /** Closes the folder, and opens it again. */
  async reopen(options: FolderStorageOptions): Promise<void> {
    await this.storage.close();
    this.storage = await FolderStorage.open(this.storage.path, options);
  }
}

const crashOptions: fc.Arbitrary<FolderStorageOptions> = fc.record({
  maxLogBytes: fc.constantFrom(0, 120, 700, 1_000_000),
  slowFlushMs: fc.constantFrom(0, 1e9),
});
const crashStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      writes: fc.array(write, { maxLength: 6, size: "max" }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("checkpoint" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("crash" as const), options: crashOptions }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const), options: crashOptions }) },
);

test("a folder keeps every commit across crashes, wherever commits wait and however full the log is", async () => {
  let folders = 0;
  await fc.assert(
    fc.asyncProperty(
      crashOptions,
      fc.array(crashStep, { maxLength: 30, size: "max" }),
      async (first, steps) => {
        const folder = await CrashingFolder.open(`crash-${++folders}`, first);
        let model = new ListModel();
        let options = first;
        let point:
          | { state: ReturnType<FolderStorage["checkpoint"]>; entries: ListModel["entries"] }
          | undefined;
        const all = () => scanOf(folder.storage, "\0", "\xff\xff\xff\xff\xff", false, 1e9);
        for (const each of steps) {
          if (each.do === "commit") {
            const writes = new Map(each.writes);
            if (options.slowFlushMs === 0 && writes.size % 2 === 1)
              await inBackground(folder.storage)(writes);
            else folder.storage.commit(writes);
            model.commit(writes);
          } else if (each.do === "checkpoint") {
            point = { state: folder.storage.checkpoint(), entries: [...model.entries] };
          } else if (each.do === "restore" && point !== undefined) {
            folder.storage.restore(point.state);
            model = new ListModel();
            model.entries = [...point.entries];
          } else if (each.do === "crash" || each.do === "reopen") {
            ({ options } = each);
            await folder[each.do](options);
            point = undefined;
          }
          expect(all()).toEqual(model.scan("\0", "\xff\xff\xff\xff\xff", false));
        }
        await folder.crash(first);
        expect(all()).toEqual(model.scan("\0", "\xff\xff\xff\xff\xff", false));
        expect(scanOf(folder.storage, "\0", "\xff\xff\xff\xff\xff", true, 1e9)).toEqual(
          model.scan("\0", "\xff\xff\xff\xff\xff", true),
        );
        await folder.storage.close();
      },
    ),
    { numRuns: 30 },
  );
});

test("keyAfter and prefixEnd bound a key and the keys with a prefix", () => {
  fc.assert(
    fc.property(key, key, (one, two) => {
      expect(two > one && two < keyAfter(one)).toBe(false);
      expect(keyAfter(one) > one).toBe(true);
      if (/^\xff+$/.test(one)) return;
      expect(two >= one && two < prefixEnd(one)).toBe(two.startsWith(one));
    }),
    { numRuns: 2000 },
  );
});
