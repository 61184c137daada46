import { describe, expect, test } from "vitest";
import { isMailError } from "./mail-error.ts";
import { createSearchMemory, storeMemory } from "./search-memory.ts";

/** Caches with names that record when they are dropped. */
function caches(maxBytes: number) {
  const memory = createSearchMemory({ maxBytes });
  const dropped: string[] = [];
  const cache = (name: string) => memory.add(() => void dropped.push(name));
  return { memory, dropped, cache };
}

describe("a search memory", () => {
  test("drops the cache that was used least recently, and no more than needed", () => {
    const { memory, dropped, cache } = caches(100);
    const [one, two, three] = [cache("one"), cache("two"), cache("three")];
    one.use(40);
    two.use(40);
    one.use(41);
    three.use(30);
    expect(dropped).toEqual(["two"]);
    expect(memory.usedBytes).toBe(71);
    two.use(60);
    expect(dropped).toEqual(["two", "one"]);
    expect(memory.usedBytes).toBe(90);
  });

  test("drops a cache that is too large alone, after all others", () => {
    const { memory, dropped, cache } = caches(100);
    const [one, two] = [cache("one"), cache("two")];
    two.use(10);
    one.use(101);
    expect(dropped).toEqual(["two", "one"]);
    expect(memory.usedBytes).toBe(0);
    one.use(5);
    one.use(6);
    expect(memory.usedBytes).toBe(6);
  });

  test("counts the current size of a cache, and nothing for an empty one", () => {
    const { memory, dropped, cache } = caches(100);
    const [one, two] = [cache("one"), cache("two")];
    for (const bytes of [10, 90, 20]) one.use(bytes);
    two.use(30);
    expect(memory.usedBytes).toBe(50);
    one.use(0);
    two.use(100);
    expect(memory.usedBytes).toBe(100);
    expect(dropped).toEqual([]);
  });

  test("returns the memory of a store that is closed", () => {
    const { memory, dropped } = caches(100);
    const store = storeMemory(memory);
    store.add(() => void dropped.push("one")).use(40);
    store.add(() => void dropped.push("two")).use(50);
    store.close();
    expect(dropped).toEqual(["one", "two"]);
    expect(memory.usedBytes).toBe(0);
  });

  test("rejects a limit that is not a positive integer", () => {
    for (const maxBytes of [0, 1.5, -1])
      expect(() => createSearchMemory({ maxBytes })).toThrow(
        expect.toSatisfy((error: unknown) => isMailError(error, "MAIL_OPTION_INVALID")),
      );
  });
});
