import { type FakeClock, fakeClock, faultyPort } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SeenWrite } from "../../src/testing/index.ts";
import { checkCalm, engineFor, type FaultWorld, faultWorld, inFakeTime, named } from "./fault-world.ts";
import { searchTimeoutMs } from "./scale.ts";

/** The possible results of one request of a writer. */
const faults: readonly (readonly [name: string, fault: string])[] = [
  ["is applied and its answer lost", "kind:lost-after-apply"],
  ["is lost", "kind:lost-before-apply"],
  ["is applied and answered with an error", "kind:error-after-apply"],
  ["hangs", "kind:hang"],
  ["is applied and hangs", "kind:hang-after-apply"],
  ["lands when its writer has given up", "kind:delay,ms:4000"],
  ["lands when another has written", "kind:delay,ms:6500"],
];

const sizes = [1, 3, 101];

describe.each(named)("%s: one request of a writer", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  let reset: () => Promise<void>;
  let clock: FakeClock;
  beforeAll(async () => {
    clock = fakeClock();
    ({ port, reset } = await engineFor(options, { clock }));
  });
  afterAll(() => port.close());

  /** A writer with 3 seconds for a call; another takes over after 5, writes after 6; all is calm after 8. */
  const story = async (fault: string, size: number, request: number, strict: boolean) => {
    await reset();
    const world = faultWorld(port, options, clock);
    const before = await (await world.actor("before", port)).recover(world.id);
    await before.append(world.texts(98));
    const faulty = faultyPort(port, `seed=1 faults=[{at:${request},${fault}}]`, { clock });
    const texts = world.texts(size);
    let outcome: SeenWrite | undefined;
    await inFakeTime(clock, 25, async () => {
      const startedAt = clock.monotonic();
      const until = (ms: number) => sleepUntil(clock, startedAt + ms);
      const [deposed] = await Promise.all([firstWriter(world, faulty, texts), until(5000)]);
      outcome = deposed;
      const journal = await world.actor("other", port);
      const other = await journal.recover(world.id);
      const seen = await journal.replay(world.id);
      await until(6000);
      const answer = await other.append(world.texts(2));
      expect(answer?.kind, "the other writer's outcome").toMatch(strict ? /^ok$/ : /^(ok|conflict)$/);
      await until(8000);
      await faulty.settled();
      const after = await journal.replay(world.id);
      // What the first writer had not written when it was superseded never shows, if fencing is strict.
      if (strict) expect(after.includes(texts[0] ?? "")).toBe(seen.includes(texts[0] ?? ""));
      await checkCalm(world, [1, 2]);
    });
    return { outcome, requests: faulty.requestCount() };
  };

  test.each(faults)(
    "%s: its outcome is honest, and all stays in order",
    async (_fault, fault) => {
      for (const size of sizes) {
        for (let request = 1, requests = 1; request <= requests; request++) {
          const told = await story(fault, size, request, options.fencing === "strict");
          requests = Math.max(requests, Math.min(told.requests, 12));
        }
      }
    },
    searchTimeoutMs,
  );
});

async function firstWriter(
  world: FaultWorld,
  own: Parameters<FaultWorld["actor"]>[1],
  texts: readonly string[],
): Promise<SeenWrite | undefined> {
  try {
    const journal = await world.actor("first", own, { deadlineMs: 3000 });
    const writer = await journal.recover(world.id);
    const outcome = await writer.append(texts);
    return outcome;
  } catch {
    return undefined;
  }
}

function sleepUntil(clock: FakeClock, at: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, at - clock.monotonic()), resolve);
  });
}
