import { type DynamoPort, type OperationName, tablesOf, wrapPort } from "@tablekeep/core";
import {
  describeStop,
  knownOptions,
  type ReachedStop,
  type StopPoint,
  type StopVariant,
  TestkitError,
} from "../base/testkit-error.ts";

/** The environment of a scenario's run: a port, and whatever else its parts share. */
export interface World {
  readonly port: DynamoPort;
}

/** Work on a database that may be stopped at any request, and the invariants that hold afterwards. */
export interface StopScenario<ScenarioWorld extends World> {
  /** Makes a fresh state; called before every run. */
  setup(): Promise<ScenarioWorld> | ScenarioWorld;
  /** The work. It sends its requests through `port` only, which stops; `world.port` stays usable. */
  run(port: DynamoPort, world: NoInfer<ScenarioWorld>): Promise<unknown>;
  /** Throws if an invariant is broken after a stop at `stop` or, if that is undefined, after a run to the end. */
  check(world: NoInfer<ScenarioWorld>, stop: ReachedStop | undefined): Promise<void>;
  /** Removes what `setup` created; also after a failure. */
  teardown?(world: NoInfer<ScenarioWorld>): Promise<void>;
}

export interface StopAfterNthOptions {
  /** Stop only here: replays a failure. @default at every request, in both variants */
  readonly only?: StopPoint;
  /**
   * Stop at this many requests at most, for work that repeats one request many times: the first and the last third of them in a row,
   * the others spread between. @default at every request
   */
  readonly maxStops?: number;
  /** Throws if the scenario is still not done after this many requests. @default 1,000 */
  readonly maxRequests?: number;
}

/** The result of {@link stopAfterNth}. */
export interface StopReport {
  /** How many requests the scenario makes when nothing stops it; 0 in a replay that was stopped. */
  readonly requests: number;
  /** Where it was stopped, in order. */
  readonly stops: readonly ReachedStop[];
}

const variants: readonly StopVariant[] = ["before", "after"];

/**
 * Runs a scenario once for every request that it sends and each way to crash at it, and checks what is stored. The last run
 * is not stopped. Rejects with TESTKIT_STOP_FAILED at the first check that fails; the error names the place for `only`.
 *
 * @example
 * await stopAfterNth({
 *   setup: () => ({ port }),
 *   run: (mortal) => mortal.putItem({ TableName: "t", Item: { pk: { S: "a" } } }),
 *   check: async (_world, stop) => console.log(stop === undefined ? "ran to its end" : "stopped"),
 * });
 */
export async function stopAfterNth<ScenarioWorld extends World>(
  scenario: StopScenario<ScenarioWorld>,
  options: StopAfterNthOptions = {},
): Promise<StopReport> {
  knownOptions(options, ["only", "maxRequests", "maxStops"]);
  const stops: ReachedStop[] = [];
  if (options.only !== undefined) {
    const { reached, requests } = await runOnce(scenario, options.only);
    return { requests: reached ? 0 : requests, stops: reached ? [reached] : [] };
  }
  const isChosen =
    options.maxStops === undefined ? () => true : await chooseStops(scenario, options.maxStops);
  for (let n = 1; n <= (options.maxRequests ?? 1_000); n++) {
    if (!isChosen(n)) continue;
    for (const variant of variants) {
      const { reached, requests } = await runOnce(scenario, { n, variant });
      if (reached === undefined) return { requests, stops };
      stops.push(reached);
    }
  }
  throw new TestkitError(
    "TESTKIT_TOO_LONG",
    "scenario sends more than maxRequests requests: shorten it, or raise maxRequests",
    { limit: options.maxRequests ?? 1_000 },
  );
}

/** Runs the scenario to its end, to know how many requests it sends. Returns whether to stop at the request of a number. */
async function chooseStops<ScenarioWorld extends World>(
  scenario: StopScenario<ScenarioWorld>,
  maxStops: number,
): Promise<(n: number) => boolean> {
  const { requests } = await runOnce(scenario, { n: Number.POSITIVE_INFINITY, variant: "before" });
  const third = Math.ceil(maxStops / 3);
  const stride = Math.ceil((requests - 2 * third) / Math.max(1, maxStops - 2 * third));
  return (n) => n <= third || n > requests - third || (n - third) % stride === 0;
}

async function runOnce<ScenarioWorld extends World>(
  scenario: StopScenario<ScenarioWorld>,
  stop: StopPoint,
): Promise<{ reached: ReachedStop | undefined; requests: number }> {
  const world = await scenario.setup();
  try {
    const mortal = mortalPort(world.port, stop);
    const isDead = () => mortal.requestCount() >= stop.n;
    const ended = scenario.run(mortal.port, world).then(
      () => undefined,
      // Errors that a stopped process throws, for example from a timer, are ignored.
      (error: unknown) => (isDead() ? undefined : Promise.reject(error)),
    );
    await Promise.race([ended, mortal.died]);
    const reached = isDead() ? await mortal.died : undefined;
    await scenario.check(world, reached).catch((cause: unknown) => {
      throw stopFailed(reached, cause);
    });
    return { reached, requests: mortal.requestCount() };
  } finally {
    await scenario.teardown?.(world);
  }
}

function stopFailed(stop: ReachedStop | undefined, cause: unknown): TestkitError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const where = stop === undefined ? "in a run to the end" : `stopped ${describeStop(stop)}`;
  const replay = stop === undefined ? "" : `; replay with only: { n: ${stop.n}, variant: "${stop.variant}" }`;
  return new TestkitError("TESTKIT_STOP_FAILED", `${where}: ${reason}${replay}`, { stop }, cause);
}

/** A port whose user crashes at a given request. */
interface MortalPort {
  readonly port: DynamoPort;
  /** Resolves at the stop, once every request that had been sent has ended. */
  readonly died: Promise<ReachedStop>;
  /** The number of requests before the stop. */
  requestCount(): number;
}

/**
 * Creates a port that stops. After the stop it sends nothing and answers nothing: every call, and every pending response,
 * stays pending forever. So no `catch`, `finally`, retry or timer of the user can still act on the database, as in a
 * process that was killed. Closing it does not close `port`.
 */
function mortalPort(port: DynamoPort, stop: StopPoint | undefined): MortalPort {
  const underWay = new Set<Promise<unknown>>();
  let count = 0;
  let dead = false;
  let announce: (stop: ReachedStop) => void = () => {};
  const died = new Promise<ReachedStop>((resolve) => {
    announce = resolve;
  });
  const die = async (operation: OperationName, input: object, last?: Promise<unknown>) => {
    dead = true;
    await Promise.allSettled([...underWay, last]);
    if (stop !== undefined) announce({ ...stop, operation, tables: tablesOf(operation, input) });
  };
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    if (dead) return forEver();
    const last = ++count === stop?.n;
    if (last && stop.variant === "before") {
      void die(operation, input);
      return forEver();
    }
    const answer = next(operation, input, options);
    if (last) {
      void die(operation, input, answer);
      return forEver();
    }
    underWay.add(answer);
    const result = await Promise.allSettled([answer]);
    underWay.delete(answer);
    if (dead) return forEver();
    if (result[0].status === "rejected") throw result[0].reason;
    return result[0].value;
  });
  const close = async () => (dead ? forEver() : undefined);
  return {
    port: { ...wrapped, close, [Symbol.asyncDispose]: close },
    died,
    requestCount: () => count,
  };
}

function forEver(): Promise<never> {
  return new Promise(() => {});
}
