import { setImmediate } from "node:timers/promises";
import { sleep } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fakeClock } from "../index.ts";

describe("fakeClock", () => {
  test("does not advance until it is moved", async () => {
    const clock = fakeClock({ startAt: 5_000 });
    let rang = false;
    clock.after(10, () => {
      rang = true;
    });
    await clock.advance(9);
    expect([rang, clock.now(), clock.monotonic()]).toEqual([false, 5_009, 9]);
    await clock.advance(1);
    expect([rang, clock.now(), clock.pending]).toEqual([true, 5_010, 0]);
  });

  test("rejects times that are not numbers: they would break the order", async () => {
    const clock = fakeClock();
    const invalid = { code: "TESTKIT_OPTION_INVALID" };
    expect(() => fakeClock({ startAt: Number.NaN })).toThrow(expect.objectContaining(invalid));
    await expect(clock.advance(Number.NaN)).rejects.toMatchObject(invalid);
    await expect(clock.advance(Number.POSITIVE_INFINITY)).rejects.toMatchObject(invalid);
    expect(() => clock.jump(Number.NaN)).toThrow(expect.objectContaining(invalid));
    expect(() => clock.after(Number.NaN, () => {})).toThrow(expect.objectContaining(invalid));
    expect([clock.monotonic(), clock.pending]).toEqual([0, 0]);
  });

  test("a timer with infinite delay never fires, and others do", async () => {
    const clock = fakeClock();
    const rang: string[] = [];
    clock.after(Number.POSITIVE_INFINITY, () => rang.push("never"));
    clock.after(5, () => rang.push("soon"));
    await clock.runAll();
    expect([rang, clock.monotonic()]).toEqual([["soon"], 5]);
    expect(await clock.advanceToNext()).toBe(false);
    const stuck = clock.autoAdvance(() => sleep(clock, Number.POSITIVE_INFINITY));
    await expect(stuck).rejects.toMatchObject({ code: "TESTKIT_CLOCK_STUCK" });
  });

  test("runs timers at their own time, and what they cause before the next one", async () => {
    const clock = fakeClock();
    const seen: string[] = [];
    const worker = async (name: string, ms: number) => {
      for (let round = 0; round < 3; round++) {
        await sleep(clock, ms);
        await Promise.resolve();
        seen.push(`${name}@${clock.monotonic()}`);
      }
    };
    const work = Promise.all([worker("a", 20), worker("b", 30)]);
    await clock.advance(100);
    await work;
    // At 60 both fall due: b's timer was set at 30, a's at 40.
    expect(seen).toEqual(["a@20", "b@30", "a@40", "b@60", "a@60", "b@90"]);
    expect(clock.monotonic()).toBe(100);
  });

  test("timers ring in the order of their times, ties in the order they were set", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { maxLength: 30 }), async (delays) => {
        const clock = fakeClock();
        const rung: number[] = [];
        delays.forEach((ms, index) => {
          clock.after(ms, () => rung.push(index));
        });
        await clock.runAll();
        const expected = delays
          .map((ms, index) => ({ ms, index }))
          .sort((a, b) => a.ms - b.ms || a.index - b.index);
        expect(rung).toEqual(expected.map((each) => each.index));
      }),
      { numRuns: 50 },
    );
  });

  test("an option that does not exist is rejected", () => {
    const misspelled = { startsAt: 5 } as object;
    expect(() => fakeClock(misspelled)).toThrow(
      expect.objectContaining({
        code: "TESTKIT_OPTION_INVALID",
        details: expect.objectContaining({ option: "startsAt" }),
      }),
    );
  });

  test("a cancelled timer does not ring, even if cancelled by another of the same time", async () => {
    const clock = fakeClock();
    const rung: string[] = [];
    clock.after(5, () => {
      rung.push("first");
      cancel();
    });
    const cancel = clock.after(5, () => rung.push("second"));
    await clock.runAll();
    expect(rung).toEqual(["first"]);
  });

  test("the date may jump; durations and timers do not notice", async () => {
    const clock = fakeClock({ startAt: 1_000_000 });
    let rang = false;
    clock.after(10, () => {
      rang = true;
    });
    clock.jump(-600_000);
    expect([clock.now(), clock.monotonic(), rang]).toEqual([400_000, 0, false]);
    await clock.advance(10);
    expect([clock.now(), clock.monotonic(), rang]).toEqual([400_010, 10, true]);
  });

  test("runAll ends with an error when timers never end", async () => {
    const clock = fakeClock();
    const again = () => {
      clock.after(1, again);
    };
    again();
    await expect(clock.runAll(100)).rejects.toMatchObject({
      code: "TESTKIT_TOO_LONG",
      details: { limit: 100 },
    });
  });
});

describe("autoAdvance", () => {
  test("an hour of waiting passes instantly", async () => {
    const clock = fakeClock();
    const result = await clock.autoAdvance(async () => {
      for (let minute = 0; minute < 60; minute++) await sleep(clock, 60_000);
      return "done";
    });
    expect([result, clock.monotonic()]).toEqual(["done", 3_600_000]);
  });

  test("passes on the error of the work", async () => {
    const clock = fakeClock();
    const work = async () => {
      await sleep(clock, 1);
      throw new Error("of the work");
    };
    await expect(clock.autoAdvance(work)).rejects.toThrow("of the work");
  });

  test("reports work that waits for something else", async () => {
    await expect(fakeClock().autoAdvance(() => new Promise(() => {}))).rejects.toMatchObject({
      code: "TESTKIT_CLOCK_STUCK",
    });
  });

  test("time does not advance while something is in progress elsewhere", async () => {
    const clock = fakeClock();
    let underWay = false;
    const elsewhere = async () => {
      underWay = true;
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      underWay = false;
    };
    const timeout = sleep(clock, 50).then(() => "timed out");
    const first = await clock.autoAdvance(() => Promise.race([timeout, elsewhere().then(() => "arrived")]), {
      busy: () => underWay,
    });
    expect([first, clock.monotonic()]).toEqual(["arrived", 0]);
  });
});
