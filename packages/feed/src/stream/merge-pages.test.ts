import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import type { ChangeRecord } from "./change-source.ts";
import { type PagedShard, takeLevel } from "./merge-pages.ts";

const record = (shard: string, sequence: number, createdAt: number): ChangeRecord => ({
  kind: "insert",
  keys: {},
  sequence: BigInt(sequence),
  shard,
  createdAt,
});

/** A shard with these creation times on its page. */
function shardOf(id: string, times: readonly number[], more: Partial<PagedShard> = {}): PagedShard {
  const page = times.map((time, at) => record(id, at, time));
  return {
    page,
    atEnd: false,
    ended: false,
    seenUntil: undefined,
    take: (count) => page.splice(0, count),
    ...more,
  };
}

const timesOf = (records: readonly ChangeRecord[]) =>
  records.map(({ shard, createdAt }) => `${shard}${createdAt}`);

test("takes what every shard has reached, by creation time", () => {
  const shards = [shardOf("a", [1, 4, 9]), shardOf("b", [2, 3, 5, 7])];
  expect(timesOf(takeLevel(shards))).toEqual(["a1", "b2", "b3", "a4", "b5", "b7"]);
  expect(shards.map(({ page }) => page.length)).toEqual([1, 0]);
});

test("a shard that has not been read yet holds up the others", () => {
  const shards = [shardOf("a", [1, 4]), shardOf("b", [])];
  expect(takeLevel(shards)).toEqual([]);
  expect(timesOf(takeLevel([...shards.slice(0, 1), shardOf("b", [], { seenUntil: 3 })]))).toEqual(["a1"]);
});

test.each(["atEnd", "ended"])("a shard that is %s does not hold up the others", (state) => {
  expect(timesOf(takeLevel([shardOf("a", [1, 4]), shardOf("b", [], { [state]: true })]))).toEqual([
    "a1",
    "a4",
  ]);
});

test("the shard that is furthest behind always advances, and each keeps its order", () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = seededRandom(seed);
    const shards = ["a", "b", "c"].map((id) =>
      shardOf(
        id,
        // Times of one shard may fall a little.
        Array.from({ length: random.int(1, 6) }, (_, at) => 5 * at + random.int(0, 12)),
      ),
    );
    const before = shards.map(({ page }) => page.length);
    const taken = takeLevel(shards);
    expect(shards.some(({ page }) => page.length === 0)).toBe(true);
    for (const [at, id] of ["a", "b", "c"].entries()) {
      const sequences = taken.filter(({ shard }) => shard === id).map(({ sequence }) => Number(sequence));
      expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, sequence) => sequence));
      expect(sequences.length + (shards[at]?.page.length ?? 0)).toBe(before[at]);
    }
  }
});
