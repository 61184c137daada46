import { openEngine } from "@tablekeep/engine";
import type { LayoutName } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type ChangeRecord, ensureStream, openStreamSource } from "../src/index.ts";
import { appendSome, expectWhole, type FeedWorld, feedOf, newWorld } from "./feed-world.ts";
import { ReorderedStream, tickMs } from "./reordered-stream.ts";

/** Reads the changes to a table that are there. */
async function changesOf({ port }: FeedWorld, after: Map<string, bigint>): Promise<ChangeRecord[]> {
  const pace = { pollMs: 1, maxPollMs: 1, readsPerSecond: Number.POSITIVE_INFINITY, emptyReadsAtEnd: 1 };
  const source = await openStreamSource(port, { tableName: "events", needs: "image", ...pace });
  const started = Date.now();
  const found: ChangeRecord[] = [];
  for await (const { records, positions } of source.read(after, { signal: new AbortController().signal })) {
    found.push(...records);
    for (const [shard, { sequence }] of positions) if (sequence !== undefined) after.set(shard, sequence);
    if ([...positions.values()].every(({ seenUntil }) => seenUntil >= started)) break;
  }
  return found;
}

test.each([1, 2, 3, 4, 5, 6])(
  "keeps the order of an id where the stream reorders, with sequencers that end at any moment (seed %i)",
  async (seed) => {
    const layout: LayoutName = seed % 2 === 0 ? "bucketed" : "packed";
    const random = seededRandom(seed);
    const port = await openEngine({ storage: { kind: "memory" } });
    const world = await newWorld(port, { table: "events", layout });
    await appendSome(world, 3);
    const { arn } = await ensureStream(port, "events", "NEW_IMAGE");
    const stream = new ReorderedStream(arn, random);
    const options = { source: stream, windowMs: 12 * tickMs };
    const after = new Map<string, bigint>();
    for (let round = 1; round <= 8; round++) {
      // Writes of one id follow each other within the delays of the stream.
      for (let write = 0; write < 6; write++) await appendSome(world, 2, round + write);
      stream.add(await changesOf(world, after));
      const stop = new AbortController();
      const running = [1, 2].map(async () =>
        (await feedOf(world, port, { ...options, leaseMs: 1 })).run(stop),
      );
      for (let turn = random.int(5, 60); turn > 0; turn--) {
        stream.tick();
        await new Promise((resolve) => setImmediate(resolve));
      }
      stop.abort();
      await Promise.all(running);
    }
    stream.end();
    await expectWhole(world, options);
    expect(world.appended.size).toBe(3);
    await port.close();
  },
);
