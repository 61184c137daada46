import { silentLogger } from "@tablekeep/core";
import { FeedError } from "@tablekeep/feed";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { FeedSequencer } from "./feed-sequencer.ts";

/** A feed whose runs fail on request. */
function fakeFeed() {
  let fail: (error: Error) => void = () => {};
  let runs = 0;
  return {
    runs: () => runs,
    fail: (error: Error) => fail(error),
    open: async () => ({
      create: async () => {},
      run: ({ signal }: { readonly signal: AbortSignal }) =>
        new Promise<void>((resolve, reject) => {
          runs++;
          fail = reject;
          signal.addEventListener("abort", () => resolve());
        }),
    }),
  };
}

const denied = new FeedError("FEED_STREAM_DENIED", "denied", { action: "a", resource: "r" });

test("a feed that fails starts again with growing waits, and is reported until it has run for a while", async () => {
  const clock = fakeClock();
  const feed = fakeFeed();
  const sequencer = new FeedSequencer({ journal: "j", open: feed.open, clock, logger: silentLogger });
  await clock.advance(1);
  expect(sequencer.state).toEqual({ running: true, failures: 0 });
  feed.fail(denied);
  await clock.advance(1);
  expect(sequencer.state).toEqual({ running: false, failures: 1, error: "FEED_STREAM_DENIED" });
  await clock.advance(499);
  expect(feed.runs()).toBe(2);
  expect(sequencer.state).toEqual({ running: true, failures: 1, error: "FEED_STREAM_DENIED" });
  feed.fail(new Error("unexpected"));
  await clock.advance(1);
  expect(sequencer.state).toMatchObject({ failures: 2, error: "INTERNAL" });
  await clock.advance(1998);
  expect(feed.runs()).toBe(2);
  await clock.advance(1);
  expect(feed.runs()).toBe(3);
  await clock.advance(10_001);
  expect(sequencer.state).toEqual({ running: true, failures: 2 });
  feed.fail(denied);
  await clock.advance(500);
  expect(feed.runs()).toBe(4);
  await sequencer.stop();
});

test("a feed stops while it waits, and while it runs", async () => {
  const clock = fakeClock();
  const feed = fakeFeed();
  const waiting = new FeedSequencer({ journal: "j", open: feed.open, clock, logger: silentLogger });
  await clock.advance(1);
  feed.fail(denied);
  await clock.advance(1);
  await waiting.stop();
  expect(feed.runs()).toBe(1);
  const running = new FeedSequencer({ journal: "j", open: feed.open, clock, logger: silentLogger });
  await clock.advance(1);
  await running.stop();
  expect(feed.runs()).toBe(2);
});

test("the start waits until the feed exists, fails, or takes too long", async () => {
  const clock = fakeClock();
  const { open } = fakeFeed();
  const outcome = (create: () => Promise<void>) => {
    const opened = async () => ({ ...(await open()), create });
    const sequencer = new FeedSequencer({ journal: "j", open: opened, clock, logger: silentLogger });
    let isStarted = false;
    void sequencer.started().then(() => {
      isStarted = true;
    });
    return { sequencer, isStarted: () => isStarted };
  };
  const made = outcome(async () => {});
  const failing = outcome(() => Promise.reject(denied));
  const hanging = outcome(() => new Promise(() => {}));
  await clock.advance(1);
  expect([made, failing, hanging].map((each) => each.isStarted())).toEqual([true, true, false]);
  expect(failing.sequencer.state).toMatchObject({ running: false, failures: 1 });
  await clock.advance(15_000);
  expect(hanging.isStarted()).toBe(true);
  await made.sequencer.stop();
  await failing.sequencer.stop();
});
