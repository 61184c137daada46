import assert from "node:assert/strict";
import { seededRandom } from "@tablekeep/testkit";

/** One seed, one run: print the seed when a test fails, and repeat the run. */
export function theSameAgain() {
  const story = (seed: number) => {
    const random = seededRandom(seed);
    const [writers, readers] = [random.fork("writers"), random.fork("readers")];
    return [
      writers.int(1, 6),
      writers.shuffle(["a", "b", "c"]),
      readers.pick(["get", "query"]),
      readers.uuid(),
    ];
  };
  assert.deepEqual(story(42), story(42));
  assert.notDeepEqual(story(42), story(43));
}
