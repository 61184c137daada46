import { knownOptions, TestkitError } from "../base/testkit-error.ts";
import { type SeededRandom, seededRandom } from "../random/seeded-random.ts";
import type { World } from "../stop-after-nth/stop-after-nth.ts";
import { type Choice, type InterleavingScenario, runInterleaved } from "./run-interleaved.ts";

export interface ExploreOptions {
  /** Run every order, one after the other, but no more than this many. @default 1,000 */
  readonly exhaustive?: number;
  /** Only orders that preempt an actor at most this often. @default no limit */
  readonly maxPreemptions?: number;
  /** Instead of every order: this many random ones. @default 0 */
  readonly walks?: number;
  /** Decides the random orders. @default 1 */
  readonly seed?: string | number;
  /** Run only this order, as an error named it: `a b b a`. Where it ends, the first actor goes first. */
  readonly only?: string;
}

/** The result of {@link exploreInterleavings}. */
export interface ExploreReport {
  /** The orders that were run, each as `a b b a`. */
  readonly orders: readonly string[];
  /** Whether these are all there are. */
  readonly complete: boolean;
}

/**
 * Runs actors against each other, one request at a time, in every order or in random orders from a seed. Rejects with
 * TESTKIT_INTERLEAVING_FAILED at the first check that fails; the error names the order for `only`.
 *
 * @example
 * await exploreInterleavings({
 *   setup: () => ({ port }),
 *   actors: {
 *     a: (own) => own.putItem({ TableName: "t", Item: { pk: { S: "a" } } }),
 *     b: (own) => own.deleteItem({ TableName: "t", Key: { pk: { S: "a" } } }),
 *   },
 *   check: async (_world, results) => assert.equal(results["a"]?.status, "fulfilled"),
 * });
 */
export async function exploreInterleavings<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  options: ExploreOptions = {},
): Promise<ExploreReport> {
  knownOptions(options, ["exhaustive", "maxPreemptions", "walks", "seed", "only"]);
  if (options.only !== undefined) {
    const choices = await runOrder(scenario, options.only.split(" ").filter(Boolean));
    return { orders: [orderOf(choices)], complete: false };
  }
  return options.walks ? walk(scenario, options.walks, options.seed ?? 1) : exhaust(scenario, options);
}

async function walk<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  walks: number,
  seed: string | number,
): Promise<ExploreReport> {
  const orders: string[] = [];
  for (let count = 0; count < walks; count++) {
    orders.push(orderOf(await runOrder(scenario, [], seededRandom(seed).fork(count))));
  }
  return { orders, complete: false };
}

/** Depth first: each run follows a prefix; the next prefix turns at the last place where another turn is left. */
async function exhaust<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  { exhaustive = 1_000, maxPreemptions = Number.POSITIVE_INFINITY }: ExploreOptions,
): Promise<ExploreReport> {
  const orders: string[] = [];
  let prefix: readonly string[] | undefined = [];
  while (prefix !== undefined && orders.length < exhaustive) {
    const choices: readonly Choice[] = await runOrder(scenario, prefix);
    orders.push(orderOf(choices));
    prefix = nextPrefix(choices, maxPreemptions);
  }
  return { orders, complete: prefix === undefined };
}

function nextPrefix(choices: readonly Choice[], maxPreemptions: number): string[] | undefined {
  for (let turn = choices.length - 1; turn >= 0; turn--) {
    const { actor, ready } = choices[turn] as Choice;
    const before = choices.slice(0, turn).map((choice) => choice.actor);
    for (const other of untried(ready, actor, before.at(-1))) {
      const prefix = [...before, other];
      if (preemptions(prefix, choices) <= maxPreemptions) return prefix;
    }
  }
  return undefined;
}

/** The order in which a run tries the actors that are ready: to go on with the same one comes first. */
function preference(ready: readonly string[], previous: string | undefined): readonly string[] {
  if (previous === undefined || !ready.includes(previous)) return ready;
  return [previous, ...ready.filter((actor) => actor !== previous)];
}

function untried(ready: readonly string[], tried: string, previous: string | undefined): readonly string[] {
  const order = preference(ready, previous);
  return order.slice(order.indexOf(tried) + 1);
}

/** How often the turn passes from an actor that could have gone on. */
function preemptions(prefix: readonly string[], choices: readonly Choice[]): number {
  return prefix.filter((actor, turn) => {
    const previous = prefix[turn - 1];
    return previous !== undefined && previous !== actor && choices[turn]?.ready.includes(previous);
  }).length;
}

async function runOrder<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  prefix: readonly string[],
  random?: SeededRandom,
): Promise<readonly Choice[]> {
  const world = await scenario.setup();
  try {
    const choose = (ready: readonly string[], turn: number, previous: string | undefined) => {
      const asked = prefix[turn];
      if (asked !== undefined && ready.includes(asked)) return asked;
      return random?.pick(ready) ?? (preference(ready, previous)[0] as string);
    };
    const { choices, results } = await runInterleaved(scenario, world, choose);
    await scenario.check(world, results).catch((cause: unknown) => {
      throw interleavingFailed(choices, random, cause);
    });
    return choices;
  } finally {
    await scenario.teardown?.(world);
  }
}

function orderOf(choices: readonly Choice[]): string {
  return choices.map((choice) => choice.actor).join(" ");
}

function interleavingFailed(
  choices: readonly Choice[],
  random: SeededRandom | undefined,
  cause: unknown,
): TestkitError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const order = orderOf(choices);
  const message = `with the requests in the order ${order}: ${reason}; replay with only: "${order}"`;
  return new TestkitError("TESTKIT_INTERLEAVING_FAILED", message, { order, seed: random?.seed }, cause);
}
