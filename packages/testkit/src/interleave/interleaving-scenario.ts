import type { DynamoPort } from "@tablekeep/core";
import type { FakeClock } from "../clock/fake-clock.ts";
import type { World } from "../stop-after-nth/stop-after-nth.ts";

/** What an actor does, through a port on which its requests wait for their turn. */
export type Actor<ScenarioWorld> = (port: DynamoPort, world: ScenarioWorld) => Promise<unknown>;

/** Two or three actors on one database, and what must hold in whatever order their requests arrive. */
export interface InterleavingScenario<ScenarioWorld extends World> {
  /** Makes a fresh state; called before every run. */
  setup(): Promise<ScenarioWorld> | ScenarioWorld;
  /** By name; one letter each keeps orders short. */
  readonly actors: Readonly<Record<string, Actor<NoInfer<ScenarioWorld>>>>;
  /** Throws if what must hold does not. That an actor failed is for the check to judge. */
  check(
    world: NoInfer<ScenarioWorld>,
    results: Readonly<Record<string, PromiseSettledResult<unknown>>>,
  ): Promise<void>;
  /** Clears away what `setup` made; also after a failure. */
  teardown?(world: NoInfer<ScenarioWorld>): Promise<void>;
  /** The clock by which the actors wait, if they do: it moves on when no actor has a request. */
  clock?(world: NoInfer<ScenarioWorld>): FakeClock;
}
