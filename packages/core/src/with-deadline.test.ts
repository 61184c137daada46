import { describe, expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { withDeadline } from "./with-deadline.ts";

/** A clock whose one timer fires when the test says so. */
function manualClock(): Clock & { fire(): void; pending(): number } {
  const timers = new Set<() => void>();
  return {
    now: () => 0,
    monotonic: () => 0,
    after(_ms, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    fire: () => {
      for (const timer of timers) timer();
    },
    pending: () => timers.size,
  };
}

const never = () => new Promise<never>(() => {});
const timedOut = () => new Error("timed out");
const aborted = (_: AbortSignal, started: boolean) => new Error(started ? "aborted" : "not started");

describe("withDeadline", () => {
  test("settles as the work does, and releases its timer", async () => {
    const clock = manualClock();
    expect(await withDeadline(async () => 1, { clock, ms: 5 })).toBe(1);
    const broken = () => Promise.reject(new Error("broken"));
    await expect(withDeadline(broken, { clock, ms: 5 })).rejects.toThrow("broken");
    const throwing = () => {
      throw new Error("at once");
    };
    await expect(withDeadline(throwing, { clock, ms: 5 })).rejects.toThrow("at once");
    expect(clock.pending()).toBe(0);
  });

  test("rejects when the time is over", async () => {
    const clock = manualClock();
    const waiting = withDeadline(never, { clock, ms: 5, timedOut });
    clock.fire();
    await expect(waiting).rejects.toThrow("timed out");
    expect(clock.pending()).toBe(0);
  });

  test("keeps the process alive for its timer, except in the background", () => {
    const given: unknown[] = [];
    const after: Clock["after"] = (_ms, _callback, options) => {
      given.push(options?.background);
      return () => {};
    };
    const clock = { ...manualClock(), after };
    void withDeadline(never, { clock, ms: 5 });
    void withDeadline(never, { clock, ms: 5, background: true });
    expect(given).toEqual([false, true]);
  });

  test("rejects when the signal is aborted, and does not start work for an aborted signal", async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const waiting = withDeadline(never, { clock, ms: 5, signal: stop.signal, aborted });
    stop.abort();
    await expect(waiting).rejects.toThrow("aborted");
    let started = false;
    const work = async () => {
      started = true;
    };
    await expect(withDeadline(work, { clock, signal: stop.signal, aborted })).rejects.toThrow("not started");
    expect([started, clock.pending()]).toEqual([false, 0]);
  });

  test("uses the signal's reason and a plain error by default", async () => {
    const clock = manualClock();
    const late = withDeadline(never, { clock, ms: 5 });
    clock.fire();
    await expect(late).rejects.toThrow("timed out after 5 ms");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(withDeadline(never, { clock, signal })).rejects.toThrow("enough");
  });

  test("handles work that fails after the wait is over", async () => {
    const clock = manualClock();
    let fail = (_: Error) => {};
    const work = () => new Promise<never>((_, reject) => (fail = reject));
    const waiting = withDeadline(work, { clock, ms: 5, timedOut });
    clock.fire();
    await expect(waiting).rejects.toThrow("timed out");
    fail(new Error("too late to matter"));
  });
});
