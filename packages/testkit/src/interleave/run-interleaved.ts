import { type DynamoPort, systemClock, wrapPort } from "@tablekeep/core";
import { TestkitError } from "../base/testkit-error.ts";
import { type FakeClock, quiescence } from "../clock/fake-clock.ts";
import type { World } from "../stop-after-nth/stop-after-nth.ts";

/** The work of an actor, through a port on which its requests wait for their turn. */
export type Actor<ScenarioWorld> = (port: DynamoPort, world: ScenarioWorld) => Promise<unknown>;

/** Two or three actors on one database, and the invariants that hold in any order of their requests. */
export interface InterleavingScenario<ScenarioWorld extends World> {
  /** Creates a fresh state; called before every run. */
  setup(): Promise<ScenarioWorld> | ScenarioWorld;
  /** By name; one letter each keeps orders short. */
  readonly actors: Readonly<Record<string, Actor<NoInfer<ScenarioWorld>>>>;
  /** Throws if an invariant is broken. The check decides whether an actor may fail. */
  check(
    world: NoInfer<ScenarioWorld>,
    results: Readonly<Record<string, PromiseSettledResult<unknown>>>,
  ): Promise<void>;
  /** Removes what `setup` created; also after a failure. */
  teardown?(world: NoInfer<ScenarioWorld>): Promise<void>;
  /** The clock by which the actors wait, if they do: it moves on when no actor has a request. */
  clock?(world: NoInfer<ScenarioWorld>): FakeClock;
}

/** The actor that had the turn, and those that could have had it. */
export interface Choice {
  readonly actor: string;
  readonly ready: readonly string[];
}

/** Decides whose request is next; `ready` is not empty. */
type Choose = (ready: readonly string[], turn: number, previous: string | undefined) => string;

interface Run {
  /** The waiting requests by actor, oldest first: each function sends one and resolves when it has been answered. */
  readonly waiting: Map<string, (() => Promise<unknown>)[]>;
  readonly results: Record<string, PromiseSettledResult<unknown>>;
}

/** How many turns of the event loop every actor gets to come up with its next request, before others go on without it. */
const graceTurns = 4;
/** How long nothing at all may happen before the actors count as stuck, in milliseconds of the machine's clock. */
const patienceMs = 2_000;
/** What one turn of the event loop adds to that at most: where one takes longer, this process was at work or did not get the processor. */
const longestTurnMs = 20;

/** Runs all actors to their ends, one request at a time. */
export async function runInterleaved<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  world: ScenarioWorld,
  choose: Choose,
): Promise<{ choices: readonly Choice[]; results: Run["results"] }> {
  const names = Object.keys(scenario.actors);
  const run: Run = { waiting: new Map(names.map((name) => [name, []])), results: {} };
  for (const name of names) start(name, scenario, world, run);
  const choices: Choice[] = [];
  for (;;) {
    const ready = await readyActors(scenario, world, run, choices);
    if (ready.length === 0) return { choices, results: run.results };
    const actor = choose(ready, choices.length, choices.at(-1)?.actor);
    choices.push({ actor, ready });
    await run.waiting.get(actor)?.shift()?.();
  }
}

function start<ScenarioWorld extends World>(
  name: string,
  scenario: InterleavingScenario<ScenarioWorld>,
  world: ScenarioWorld,
  run: Run,
): void {
  const port = wrapPort(world.port, (operation, input, options, next) => {
    return new Promise((resolve, reject) => {
      run.waiting.get(name)?.push(() => next(operation, input, options).then(resolve, reject));
    });
  });
  const close = async () => {};
  const work = scenario.actors[name]?.({ ...port, close, [Symbol.asyncDispose]: close }, world);
  void Promise.allSettled([work]).then(([result]) => {
    run.results[name] = result;
  });
}

/** The actors with a request, once every actor has one, has ended, or waits for something that only another can provide. */
async function readyActors<ScenarioWorld extends World>(
  scenario: InterleavingScenario<ScenarioWorld>,
  world: ScenarioWorld,
  run: Run,
  choices: readonly Choice[],
): Promise<string[]> {
  const clock = scenario.clock?.(world);
  let quietMs = 0;
  for (let turn = 1; quietMs < patienceMs; turn++) {
    const began = systemClock.monotonic();
    await quiescence();
    quietMs += Math.min(systemClock.monotonic() - began, longestTurnMs);
    const ready = [...run.waiting].filter(([, requests]) => requests.length > 0).map(([name]) => name);
    const open = openActors(run);
    if (ready.length === open.length || (ready.length > 0 && turn >= graceTurns)) return ready;
    if (ready.length === 0 && turn >= graceTurns && (await clock?.advanceToNext())) {
      quietMs = 0;
      turn = 0;
    }
  }
  const [actors, order] = [openActors(run), choices.map((choice) => choice.actor).join(" ")];
  throw new TestkitError(
    "TESTKIT_ACTORS_STUCK",
    `${actors.join(" and ")} wait for neither a request nor the clock, so no step is left to schedule (order so far: ${order})`,
    { actors, order },
  );
}

/** The actors that have not ended, and those that left a request behind. */
function openActors(run: Run): string[] {
  const isOpen = ([name, requests]: [string, unknown[]]) =>
    run.results[name] === undefined || requests.length > 0;
  return [...run.waiting].filter(isOpen).map(([name]) => name);
}
