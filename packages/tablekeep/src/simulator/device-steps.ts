import { createHash } from "node:crypto";

/** What a device does in one interval. */
export interface DeviceStep {
  /**
   * `report` sends a report, `duplicate` sends it twice, `old` sends one that expects version 1 and comes too late, and `offline` loses the
   * connection and reports later.
   */
  readonly kind: "report" | "duplicate" | "old" | "offline";
  /** The number of the step, from 1. */
  readonly count: number;
  /** For `offline`: the number of intervals without a connection. */
  readonly intervals: number;
  /** A value to report. */
  readonly level: number;
}

/** What distinguishes a device for its whole life. */
export interface DeviceTraits {
  /** Milliseconds that its clock is ahead, or behind if negative. */
  readonly skewMs: number;
  /** Milliseconds that it needs to apply a delta. */
  readonly applyMs: number;
  /** The part of an interval after which it starts, from 0 to 1. */
  readonly offset: number;
  readonly steps: IterableIterator<DeviceStep>;
}

/** How often a step is not a plain report, of 1,000. */
const offlineOf1000 = 5;
const duplicateOf1000 = 20;
const oldOf1000 = 20;

/** The longest time without a connection, in intervals. */
const maxOffline = 5;

/** Returns the plan of a device. The same seed and number have the same plan. */
export function planDevice(seed: string, device: number): DeviceTraits {
  const random = randomOf(`${seed}/${device}`);
  const skewMs = Math.floor((random() - 0.5) * 120_000);
  const applyMs = Math.floor(random() * 2_000);
  const offset = random();
  return { skewMs, applyMs, offset, steps: stepsOf(random) };
}

function* stepsOf(random: () => number): Generator<DeviceStep> {
  for (let count = 1; ; count++) {
    // Each step takes the same number of values, so that a change of one kind does not move all others.
    const [choice, length, level] = [random() * 1000, random(), Math.floor(random() * 100)];
    yield { kind: kindOf(choice), count, intervals: 1 + Math.floor(length * maxOffline), level };
  }
}

function kindOf(choice: number): DeviceStep["kind"] {
  if (choice < offlineOf1000) return "offline";
  if (choice < offlineOf1000 + duplicateOf1000) return "duplicate";
  return choice < offlineOf1000 + duplicateOf1000 + oldOf1000 ? "old" : "report";
}

/** A generator of numbers from 0 to 1 (mulberry32) whose state comes from a hash of the text. */
function randomOf(text: string): () => number {
  let state = createHash("sha256").update(text).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
