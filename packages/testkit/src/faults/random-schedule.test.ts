import { describe, expect, test } from "vitest";
import {
  type Fault,
  type FaultKind,
  type InjectedFault,
  parseSchedule,
  printSchedule,
  randomSchedule,
  shrinkSchedule,
} from "../index.ts";

describe("randomSchedule", () => {
  const many = Array.from({ length: 500 }, (_, seed) => randomSchedule(seed));

  test("comes from its seed alone, and prints", () => {
    expect(randomSchedule(42)).toEqual(randomSchedule(42));
    for (const schedule of many) expect(parseSchedule(printSchedule(schedule))).toEqual(schedule);
  });

  test("switches each kind on about half of the time, and kinds do not go together", () => {
    const on = (kind: FaultKind) =>
      new Set(
        many.flatMap(({ seed, faults }) => (faults.some((fault) => fault.kind === kind) ? [seed] : [])),
      );
    const kinds = [...new Set(many.flatMap(({ faults }) => faults.map((fault) => fault.kind)))];
    expect(kinds).toHaveLength(15);
    for (const kind of kinds) expect(Math.abs(on(kind).size - 250)).toBeLessThan(60);
    const [stale, throttled] = [on("stale"), on("throttle")];
    expect(Math.abs([...stale].filter((seed) => throttled.has(seed)).length - 125)).toBeLessThan(50);
  });

  test("keeps rates and the calm at the end within bounds", () => {
    const schedules = Array.from({ length: 100 }, (_, seed) =>
      randomSchedule(seed, { calmAfter: 50, maxRate: 0.1 }),
    );
    for (const { at, p } of schedules.flatMap(({ faults }) => faults)) {
      expect(at).toEqual([1, 50]);
      expect(p).toBeLessThanOrEqual(0.1);
    }
  });

  test("chooses among the kinds that are asked for", () => {
    const schedule = randomSchedule(1, { kinds: ["stale", "page-cut"], swarm: 1 });
    expect(schedule.faults.map((fault) => fault.kind)).toEqual(["stale", "page-cut"]);
  });
});

describe("shrinkSchedule", () => {
  /** As if 60 requests were sent: every third hit of a rate is a hit. */
  const logOf = (faults: readonly Fault[]): InjectedFault[] =>
    faults.flatMap((fault, index) => {
      const requests =
        typeof fault.at === "number" ? [fault.at] : Array.from({ length: 20 }, (_, each) => each * 3 + 1);
      return requests.map((request) => ({
        request,
        operation: "PutItem" as const,
        tables: [],
        kind: fault.kind,
        fault: index,
      }));
    });

  test("leaves the two faults that matter, at the requests where they matter", async () => {
    let runs = 0;
    const shrunk = await shrinkSchedule(randomSchedule(3, { swarm: 1 }), async ({ faults }) => {
      runs++;
      const log = logOf(faults);
      const hits = (kind: FaultKind, request: number) =>
        log.some((hit) => hit.kind === kind && hit.request === request);
      return { failed: hits("lost-after-apply", 7) && hits("throttle", 31), log };
    });
    expect(shrunk.faults).toHaveLength(2);
    expect(shrunk.faults).toContainEqual({ kind: "lost-after-apply", at: 7 });
    expect(shrunk.faults).toContainEqual(expect.objectContaining({ kind: "throttle", at: 31 }));
    expect(runs).toBeLessThan(200);
  });

  test("returns a schedule that does not fail unchanged, and stops at its bound", async () => {
    const schedule = randomSchedule(3);
    expect(await shrinkSchedule(schedule, async () => ({ failed: false, log: [] }))).toBe(schedule);
    let runs = 0;
    const all = async ({ faults }: { faults: readonly Fault[] }) => {
      runs++;
      return { failed: faults.length > 0, log: logOf(faults) };
    };
    const shrunk = await shrinkSchedule(randomSchedule(3, { swarm: 1 }), all, { maxRuns: 3 });
    expect(runs).toBe(3);
    expect(shrunk.faults.length).toBeGreaterThan(0);
  });
});
