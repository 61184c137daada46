import type { EngineOptions } from "@tablekeep/engine";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { ChangeRecord } from "../src/index.ts";
import {
  Checkpoint,
  readSome,
  type StreamWorld,
  streamWorld,
  Written,
  writeRandomly,
} from "./stream-world.ts";

/** A record that never appears must fail the test, not prolong it. */
const bounded = { limit: 100_000 };
const seeds = Number(process.env["STREAM_SEEDS"] ?? 12);

const behaviors: readonly (readonly [string, NonNullable<EngineOptions["behavior"]>["streams"]])[] = [
  ["the plain engine", undefined],
  ["records of different items swapped", { lagMs: [0, 4000] }],
  ["late records", { lagMs: 3000 }],
  ["several shards", { shards: 4 }],
  ["shards that split", { shardRecords: [5, 20] }],
  ["empty pages before records", { emptyPages: [0, 4] }],
  ["iterators that expire", { iteratorMs: 150 }],
  [
    "everything at once",
    { shards: 3, shardRecords: [3, 15], lagMs: [0, 5000], emptyPages: [0, 3], iteratorMs: 700 },
  ],
];

/** Reads until everything written has been seen, beginning again from the checkpoint after a random number of batches. */
async function readWithRestarts(world: StreamWorld, seed: string, isDone: (count: number) => boolean) {
  const random = seededRandom(seed);
  const checkpoint = new Checkpoint();
  const seen: ChangeRecord[] = [];
  while (!isDone(seen.length)) {
    let batches = random.int(1, 25);
    const options = { pageRecords: random.int(1, 20), emptyReadsAtEnd: random.int(1, 5) };
    const until = (some: readonly ChangeRecord[]) => --batches === 0 || isDone(seen.length + some.length);
    seen.push(...(await readSome(world, { checkpoint, options, until })));
  }
  return seen;
}

describe.each(behaviors)("with %s", (_name, streams) => {
  test.each(Array.from({ length: seeds }, (_, seed) => seed))(
    "every change is seen once and in the order of its item, seed %i",
    async (seed) => {
      await using world = await streamWorld({ seed, streams });
      const written = new Written();
      const seen = await world.clock.autoAdvance(async () => {
        let done = false;
        const writing = writeRandomly(world, seededRandom(`writes ${seed}`), written, 80).then(() => {
          done = true;
        });
        const isDone = (count: number) => done && count >= written.count;
        const read = await readWithRestarts(world, `reads ${seed}`, isDone);
        await writing;
        return read;
      }, bounded);
      written.compare(seen);
      expect(new Set(seen.map(({ shard, sequence }) => `${shard} ${sequence}`)).size).toBe(seen.length);
    },
  );
});

test("records of different items are really swapped, and shards really split", async () => {
  await using world = await streamWorld({ streams: { lagMs: [0, 4000], shards: 2, shardRecords: [5, 9] } });
  const written = new Written();
  const seen = await world.clock.autoAdvance(async () => {
    await writeRandomly(world, seededRandom(1), written, 100);
    return readWithRestarts(world, "1", (count) => count >= written.count);
  }, bounded);
  const versions = seen.flatMap(({ image }) => (image === undefined ? [] : [Number(image["version"]?.N)]));
  expect(versions).not.toEqual(versions.toSorted((one, two) => one - two));
  expect(new Set(seen.map(({ shard }) => shard)).size).toBeGreaterThan(8);
});
