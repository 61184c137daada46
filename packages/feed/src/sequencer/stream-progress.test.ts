import { describe, expect, test } from "vitest";
import type { Checkpoint } from "../store/feed-record.ts";
import type { ShardPosition } from "../stream/change-source.ts";
import { StreamProgress } from "./stream-progress.ts";
import type { PendingWrite } from "./write-order.ts";

const second = 1000;
const stored: Checkpoint = {
  version: 1,
  arn: "arn",
  shards: new Map([["a", 10n]]),
  times: new Map([["a", 5 * second]]),
  seenUntil: 5 * second,
  tails: [0],
};

function position(sequence: bigint | undefined, seenUntil: number, closed = false): ShardPosition {
  return { sequence, seenUntil, closed, parents: [] };
}

function progressOf(positions: Readonly<Record<string, ShardPosition>>): StreamProgress {
  const progress = new StreamProgress();
  progress.add({ records: [], positions: new Map(Object.entries(positions)) });
  return progress;
}

function waitingAt(shard: string, sequence: bigint, createdAt: number): PendingWrite {
  const write = { persistenceId: "a", first: 1, last: 1, mark: 0, writer: 0 };
  return { ...write, shard, sequence, createdAt };
}

describe("the progress of a stream", () => {
  test("is the time up to which every open shard has been read", () => {
    const positions = { a: position(20n, 9 * second), b: position(7n, 8 * second), c: position(1n, 0, true) };
    expect(progressOf(positions).seenUntil).toBe(8 * second);
    expect(new StreamProgress().seenUntil).toBe(0);
  });

  test("raises the marks of a checkpoint, and adds those of new shards", () => {
    const positions = { a: position(20n, 9 * second), b: position(7n, 8 * second) };
    const raised = progressOf(positions).raised(stored, [], [3]);
    expect(raised.shards).toEqual(
      new Map([
        ["a", 20n],
        ["b", 7n],
      ]),
    );
    expect(raised.times).toEqual(
      new Map([
        ["a", 9 * second],
        ["b", 8 * second],
      ]),
    );
    expect([raised.seenUntil, raised.tails]).toEqual([8 * second, [3]]);
  });

  test("never lowers a mark or a time", () => {
    const raised = progressOf({ a: position(9n, 4 * second) }).raised(stored, [], [0]);
    expect([raised.shards, raised.times, raised.seenUntil]).toEqual([
      stored.shards,
      stored.times,
      5 * second,
    ]);
  });

  test("ends right before the first write of a shard that waits, and a second before its record", () => {
    const waiting = [
      waitingAt("a", 18n, 8 * second),
      waitingAt("a", 15n, 7 * second),
      waitingAt("a", 16n, 9 * second),
    ];
    const raised = progressOf({ a: position(20n, 9 * second) }).raised(stored, waiting, [0]);
    expect(raised.shards).toEqual(new Map([["a", 14n]]));
    expect(raised.times).toEqual(new Map([["a", 6 * second]]));
  });

  test("removes shards that the stream no longer lists, and keeps the others", () => {
    const progress = progressOf({ a: position(12n, 6 * second), b: position(7n, 8 * second) });
    progress.add({ records: [], positions: new Map(), gone: ["a"] });
    expect(progress.seenUntil).toBe(8 * second);
    const raised = progress.raised(stored, [], [0]);
    expect([...raised.shards.keys(), ...raised.times.keys()]).toEqual(["b", "b"]);
    // Also after further batches, which do not repeat it.
    progress.add({ records: [], positions: new Map([["b", position(8n, 9 * second)]]) });
    expect([...progress.raised(stored, [], [0]).shards.keys()]).toEqual(["b"]);
  });

  test("keeps the time of a checkpoint once a disabled stream has been read to its end", () => {
    const raised = progressOf({ a: position(20n, Number.MAX_SAFE_INTEGER, true) }).raised(stored, [], [0]);
    expect(raised.seenUntil).toBe(5 * second);
  });
});
