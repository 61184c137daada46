import { type OptionChecks, optionCheck, type Random } from "@tablekeep/core";
import { checkOptions } from "../call-options.ts";
import type { Typed } from "../definition/decision.ts";
import type { EntityDefinition, LooseEntity } from "../definition/entity-definition.ts";
import { carryOut, type LooseInvariant, newHistory } from "./run-commands.ts";

/** Options of {@link checkEntity}. */
export interface CheckEntityOptions<Command, State> {
  /** Returns a random command. Use the state to choose one that is likely to be accepted. */
  readonly command: (random: Random, state: State) => Command;
  /** Checks a state. Returns true or undefined if it is valid; otherwise returns false or a reason, or throws. */
  readonly invariant?: (state: State) => unknown;
  /** Number of random histories. @default 100 */
  readonly runs?: number;
  /** Number of commands in each history. @default 20 */
  readonly commands?: number;
  /** Seed of the first history; the others count up from it. @default 1 */
  readonly seed?: number;
}

const checks: OptionChecks<CheckEntityOptions<unknown, unknown>> = {
  command: optionCheck.callback,
  invariant: optionCheck.callback,
  runs: optionCheck.integer(1),
  commands: optionCheck.integer(1),
  seed: optionCheck.integer(0),
};

/**
 * Runs random commands against an entity. After every command the invariant must hold, and the state rebuilt from the
 * stored events, from the start or from any snapshot, must be the same. Also detects impure functions, and events and
 * states that cannot be stored. Throws with the seed and a minimal list of commands.
 *
 * @example
 * checkEntity(counter, {
 *   command: (random) => ({ type: "add", amount: Math.floor(random() * 10) }),
 *   invariant: (total) => total >= 0,
 * });
 */
export function checkEntity<
  Command extends Typed,
  Event extends Typed,
  State,
  Reply,
  const Given extends Command,
>(typed: EntityDefinition<Command, Event, State, Reply>, options: CheckEntityOptions<Given, State>): void {
  checkOptions<object>(options, checks as OptionChecks<object>);
  const definition = typed as unknown as LooseEntity;
  const { runs = 100, commands = 20, seed = 1 } = options;
  const invariant = options.invariant as LooseInvariant | undefined;
  for (let run = seed; run < seed + runs; run++) {
    const random = randomOfSeed(run);
    const given: Typed[] = [];
    const history = newHistory(definition);
    for (let count = 0; count < commands; count++) {
      const command = options.command(random, history.state as State);
      given.push(command);
      if (carryOut(definition, history, command, invariant) === undefined) continue;
      throw failure(definition, minimize(definition, given, invariant), invariant, run);
    }
  }
}

/** Returns what is wrong after these commands, if anything. */
function problemOf(
  definition: LooseEntity,
  commands: readonly Typed[],
  invariant: LooseInvariant | undefined,
): string | undefined {
  const history = newHistory(definition);
  for (const command of commands) {
    const problem = carryOut(definition, history, command, invariant);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Removes commands as long as the check still fails. */
function minimize(
  definition: LooseEntity,
  commands: readonly Typed[],
  invariant: LooseInvariant | undefined,
): readonly Typed[] {
  let left = commands;
  for (let at = left.length - 1; at >= 0; at--) {
    const without = left.toSpliced(at, 1);
    if (problemOf(definition, without, invariant) !== undefined) left = without;
  }
  return left;
}

function failure(
  definition: LooseEntity,
  commands: readonly Typed[],
  invariant: LooseInvariant | undefined,
  seed: number,
): Error {
  const problem = problemOf(definition, commands, invariant);
  const lines = commands.map((command) => `  ${JSON.stringify(command)}`);
  return new Error(`${definition.type}, seed ${seed}: ${problem}, after\n${lines.join("\n")}`);
}

/** Returns a repeatable generator of numbers from 0 to 1 (mulberry32). */
function randomOfSeed(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
