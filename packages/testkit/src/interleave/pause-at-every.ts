import { type DynamoPort, tablesOf, wrapPort } from "@tablekeep/core";
import {
  describeStop,
  knownOptions,
  type ReachedStop,
  type StopPoint,
  type StopVariant,
  TestkitError,
} from "../base/testkit-error.ts";
import type { World } from "../stop-after-nth/stop-after-nth.ts";

/** Two pieces of work on one database: one is paused, the other runs to its end meanwhile. */
export interface PauseScenario<ScenarioWorld extends World> {
  /** Makes a fresh state; called before every run. */
  setup(): Promise<ScenarioWorld> | ScenarioWorld;
  /** The work that is paused. It makes its requests through `port` only. */
  paused(port: DynamoPort, world: NoInfer<ScenarioWorld>): Promise<unknown>;
  /** The work that runs while the other is paused; it may also move a fake clock. Must not wait for the other. */
  meanwhile(port: DynamoPort, world: NoInfer<ScenarioWorld>): Promise<unknown>;
  /** Throws if what must hold does not. */
  check(world: NoInfer<ScenarioWorld>, result: PauseResult): Promise<void>;
  /** Removes what `setup` created; also after a failure. */
  teardown?(world: NoInfer<ScenarioWorld>): Promise<void>;
}

/** How both ended. The check decides whether one of them may fail. */
export interface PauseResult {
  /** Where the first was paused: before the request was sent, or when it was applied and not yet answered. */
  readonly pause: ReachedStop;
  readonly paused: PromiseSettledResult<unknown>;
  readonly meanwhile: PromiseSettledResult<unknown>;
}

export interface PauseAtEveryOptions {
  /** Pause only here: replays a failure. @default at every request, in both variants */
  readonly only?: StopPoint;
  /** Throws if the paused work is still not done after this many requests. @default 1,000 */
  readonly maxRequests?: number;
}

/** The result of {@link pauseAtEvery}. */
export interface PauseReport {
  /** Where the work was paused, in order. */
  readonly pauses: readonly ReachedStop[];
}

const variants: readonly StopVariant[] = ["before", "after"];

/**
 * Pauses one piece of work at each of its requests, as a long garbage collection would, runs the other to its end, resumes
 * the first, and checks. Rejects with TESTKIT_PAUSE_FAILED at the first check that fails.
 *
 * @example
 * await pauseAtEvery({
 *   setup: () => ({ port }),
 *   paused: (own) => own.putItem({ TableName: "t", Item: { pk: { S: "a" } } }),
 *   meanwhile: (own) => own.deleteItem({ TableName: "t", Key: { pk: { S: "a" } } }),
 *   check: async (_world, { paused }) => assert.equal(paused.status, "fulfilled"),
 * });
 */
export async function pauseAtEvery<ScenarioWorld extends World>(
  scenario: PauseScenario<ScenarioWorld>,
  options: PauseAtEveryOptions = {},
): Promise<PauseReport> {
  knownOptions(options, ["only", "maxRequests"]);
  if (options.only !== undefined) {
    const pause = await runOnce(scenario, options.only);
    return { pauses: pause === undefined ? [] : [pause] };
  }
  const pauses: ReachedStop[] = [];
  const limit = options.maxRequests ?? 1_000;
  for (let n = 1; n <= limit; n++) {
    for (const variant of variants) {
      const pause = await runOnce(scenario, { n, variant });
      if (pause === undefined) return { pauses };
      pauses.push(pause);
    }
  }
  throw new TestkitError(
    "TESTKIT_TOO_LONG",
    "paused work sends more than maxRequests requests: shorten it, or raise maxRequests",
    { limit },
  );
}

async function runOnce<ScenarioWorld extends World>(
  scenario: PauseScenario<ScenarioWorld>,
  point: StopPoint,
): Promise<ReachedStop | undefined> {
  const world = await scenario.setup();
  try {
    const pausing = pausingPort(world.port, point);
    const first = settled(scenario.paused(pausing.port, world));
    const pause = await Promise.race([pausing.reached, first.then(() => undefined)]);
    if (pause === undefined) {
      const ended = await first;
      // Without a pause there is no check: work that fails before its first request must not count as passed.
      if (ended.status === "rejected" && pausing.requestCount() === 0) throw ended.reason;
      return undefined;
    }
    const meanwhile = await settled(scenario.meanwhile(world.port, world));
    pausing.resume();
    const paused = await first;
    await scenario.check(world, { pause, paused, meanwhile }).catch((cause: unknown) => {
      throw pauseFailed(pause, cause);
    });
    return pause;
  } finally {
    await scenario.teardown?.(world);
  }
}

interface PausingPort {
  readonly port: DynamoPort;
  readonly reached: Promise<ReachedStop>;
  resume(): void;
  requestCount(): number;
}

function pausingPort(port: DynamoPort, point: StopPoint): PausingPort {
  let count = 0;
  let [announce, resume] = [(_: ReachedStop) => {}, () => {}];
  const reached = new Promise<ReachedStop>((resolve) => {
    announce = resolve;
  });
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    const here = ++count === point.n;
    // Others of the same process are paused too.
    if (!here && count > point.n) await resumed;
    if (!here) return next(operation, input, options);
    const stop = { ...point, operation, tables: tablesOf(operation, input) };
    const sent = point.variant === "after" ? await settled(next(operation, input, options)) : undefined;
    announce(stop);
    await resumed;
    if (sent === undefined) return next(operation, input, options);
    if (sent.status === "rejected") throw sent.reason;
    return sent.value;
  });
  return { port: wrapped, reached, resume: () => resume(), requestCount: () => count };
}

async function settled<Value>(work: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function pauseFailed(pause: ReachedStop, cause: unknown): TestkitError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const replay = `replay with only: { n: ${pause.n}, variant: "${pause.variant}" }`;
  return new TestkitError(
    "TESTKIT_PAUSE_FAILED",
    `paused ${describeStop(pause)}: ${reason}; ${replay}`,
    { pause },
    cause,
  );
}
