import type { DynamoPort } from "@tablekeep/core";
import { stopAfterNth } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { expectNoGarbage, stateOf, textOf } from "../../test/snapshot-truth.ts";
import { noise, openSmall, table } from "../../test/snapshot-world.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";
import type { Snapshots } from "./snapshots.ts";

/** A few requests of chunks each. */
const [bigOld, bigNew] = [noise(20_000), noise(110_000)];
const [smallOld, smallNew] = ["the old one", "the new one"];
/** Past the plainest mistakes of clocks. */
const now = 1_800_000_000_000;
const clock = { now: () => now, monotonic: () => performance.now(), after: () => () => {} };

interface Scenario {
  readonly before: readonly [sequenceNr: number, state: unknown][];
  readonly run: (snapshots: Snapshots) => Promise<unknown>;
  /** What each number may hold afterwards: what it held before, and what it holds when nothing stops it. */
  readonly may: Readonly<Record<number, readonly [before: unknown, after: unknown]>>;
  readonly options?: SnapshotsOptions;
}

const scenarios: readonly [name: string, Scenario][] = [
  ["a first save", { before: [], run: (s) => s.save("id", 5, smallNew), may: { 5: [undefined, smallNew] } }],
  [
    "a save over a small one",
    { before: [[5, smallOld]], run: (s) => s.save("id", 5, smallNew), may: { 5: [smallOld, smallNew] } },
  ],
  [
    "a first save in chunks",
    { before: [], run: (s) => s.save("id", 5, bigNew), may: { 5: [undefined, bigNew] } },
  ],
  [
    "a save in chunks over a small one",
    { before: [[5, smallOld]], run: (s) => s.save("id", 5, bigNew), may: { 5: [smallOld, bigNew] } },
  ],
  [
    "a small save over one in chunks",
    {
      before: [[5, bigOld]],
      run: (s) => s.save("id", 5, smallNew),
      may: { 5: [bigOld, smallNew] },
    },
  ],
  [
    "a save in chunks over one in chunks",
    {
      before: [[5, bigOld]],
      run: (s) => s.save("id", 5, bigNew),
      may: { 5: [bigOld, bigNew] },
    },
  ],
  [
    "a save that keeps only itself",
    {
      before: [
        [3, bigOld],
        [4, smallOld],
      ],
      run: (s) => s.save("id", 5, bigNew),
      may: { 3: [bigOld, undefined], 4: [smallOld, undefined], 5: [undefined, bigNew] },
      options: { keep: 1 },
    },
  ],
  [
    "a deletion of one in chunks",
    { before: [[5, bigOld]], run: (s) => s.delete("id", 5), may: { 5: [bigOld, undefined] } },
  ],
  [
    "a deletion by criteria, with an upper time",
    {
      before: [
        [3, bigOld],
        [4, smallOld],
        [5, bigOld],
      ],
      run: (s) => s.deleteMany("id", { maxSequenceNr: 4, maxTimestamp: now }),
      may: { 3: [bigOld, undefined], 4: [smallOld, undefined], 5: [bigOld, bigOld] },
    },
  ],
  [
    "a deletion by criteria, in batches",
    {
      before: [
        [3, bigOld],
        [4, smallOld],
        [5, bigOld],
      ],
      run: (s) => s.deleteMany("id", { maxSequenceNr: 4 }),
      may: { 3: [bigOld, undefined], 4: [smallOld, undefined], 5: [bigOld, bigOld] },
    },
  ],
];

const text = (state: unknown) => (state === undefined ? undefined : textOf(state));

describe.each(scenarios)("%s that is interrupted at any request", (_name, { before, run, may, options }) => {
  test("leaves each snapshot wholly as it was, or wholly as it should become; the rest can be collected", async () => {
    const world = async () => {
      const port = await engineWithSnapshots(table);
      const snapshots = await openSmall(port, { clock });
      for (const [sequenceNr, state] of before) await snapshots.save("id", sequenceNr, state);
      await snapshots.close();
      return { port };
    };
    const report = await stopAfterNth<{ port: DynamoPort }>({
      setup: world,
      async run(port) {
        const snapshots = await openSmall(port, { clock, ...options });
        await run(snapshots);
        await snapshots.idle();
      },
      async check({ port }, stop) {
        for (const [number, [old, young]] of Object.entries(may)) {
          const found = await stateOf(port, "id", Number(number));
          if (stop === undefined) expect(found).toBe(text(young));
          else expect([text(old), text(young)]).toContain(found);
        }
        await expectNoGarbage(port, "id", now);
        // And it can be done again.
        const again = await openSmall(port, { clock, ...options });
        await run(again);
        await again.idle();
        for (const [number, [, young]] of Object.entries(may)) {
          expect(await stateOf(port, "id", Number(number))).toBe(text(young));
        }
      },
      teardown: ({ port }) => port.close(),
    });
    expect(report.stops.length).toBe(2 * report.requests);
    expect(report.requests).toBeGreaterThan(0);
  });
});
