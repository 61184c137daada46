import { openEngine } from "@tablekeep/engine";
import { unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type Feed, openFeed } from "../src/index.ts";
import { newWorld } from "./feed-world.ts";

test("a reader from a time misses no event that a process with a slow clock has fed", async () => {
  const clock = fakeClock();
  await using port = await openEngine({ storage: { kind: "memory" }, clock });
  const { journal } = await newWorld(port, { table: "events", clock });
  await clock.autoAdvance(async () => {
    const options = { journal: { table: "events" }, slices: 1 };
    const right = await openFeed(port, { ...options, clock });
    const slow = await openFeed(port, { ...options, clock: { ...clock, now: () => clock.now() - 120_000 } });
    await right.catchUp();
    const times: number[] = [];
    // Pages of the slow clock are where a search looks first.
    for (const feed of [right, right, slow, slow, right]) {
      await clock.advance(10_000);
      times.push(clock.now());
      unwrap(await journal.append("a", { payload: times.length }));
      await feedNext(feed);
    }
    const since = async (time: number) => {
      const found: unknown[] = [];
      for await (const { payload } of right.read({ from: new Date(time) })) found.push(payload);
      return found;
    };
    expect(await since(times[1] as number)).toEqual([2, 3, 4, 5]);
  });
});

/** Runs a feed until it has written a page. */
async function feedNext(feed: Feed): Promise<void> {
  const events = async () => (await feed.status()).slices[0]?.events ?? 0;
  const before = await events();
  const stop = new AbortController();
  await feed.run({ signal: stop.signal, onProgress: () => stop.abort() });
  expect(await events()).toBe(before + 1);
}
