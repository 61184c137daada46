import { type OptionChecks, optionCheck, type Random } from "@tablekeep/core";
import type { Typed } from "../definition/decision.ts";
import type { EntityDefinition, LooseEntity } from "../definition/entity-definition.ts";
import { checkOptions } from "../options/check-options.ts";
import { randomOfSeed } from "./random-of-seed.ts";
import { type Life, type LooseInvariant, liveOn, newLife } from "./run-commands.ts";

/** What {@link checkEntity} takes. */
export interface CheckEntityOptions<Command, State> {
  /** Draws a command; the state helps to draw one that is likely to be accepted. */
  readonly command: (random: Random, state: State) => Command;
  /** What must hold of every state: gives true or nothing if it does, otherwise false or a reason, or throws. */
  readonly invariant?: ((state: State) => unknown) | undefined;
  /** How many lives to live. @default 100 */
  readonly runs?: number | undefined;
  /** How many commands a life has. @default 20 */
  readonly commands?: number | undefined;
  /** The seed of the first life; the others follow. @default 1 */
  readonly seed?: number | undefined;
}

const checks: OptionChecks<CheckEntityOptions<unknown, unknown>> = {
  command: optionCheck.callable,
  invariant: optionCheck.callable,
  runs: optionCheck.wholeNumber(1),
  commands: optionCheck.wholeNumber(1),
  seed: optionCheck.wholeNumber(0),
};

/**
 * Lets an entity live through random commands. After every command the invariant must hold, and a crash must do no harm:
 * the state that is rebuilt from the stored events, from the start or from any snapshot, must be the same. Also finds
 * impure functions, and events and states that cannot be stored. Throws with the seed and the fewest commands it found.
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
    const draw = (life: Life) => {
      const command = options.command(random, life.state as State);
      given.push(command);
      return command;
    };
    const life = newLife(definition);
    for (let count = 0; count < commands; count++) {
      if (liveOn(definition, life, draw(life), invariant) === undefined) continue;
      throw failure(definition, fewest(definition, given, invariant), invariant, run);
    }
  }
}

/** What is wrong after these commands, if anything. */
function problemOf(
  definition: LooseEntity,
  commands: readonly Typed[],
  invariant: LooseInvariant | undefined,
): string | undefined {
  const life = newLife(definition);
  for (const command of commands) {
    const problem = liveOn(definition, life, command, invariant);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Leaves out commands as long as something is still wrong. */
function fewest(
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
