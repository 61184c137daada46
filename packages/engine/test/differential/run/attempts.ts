import type { DynamoPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import type { Attempts } from "../faults/both-faults.ts";
import type { Step } from "../step.ts";
import { copyItem, namedItems } from "./items.ts";
import type { Lane } from "./lane.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

/** Tries steps on the two backends, each from their current state, and leaves them in it. */
export async function attemptsOn(lane: Lane, engine: Engine): Promise<Attempts> {
  const now = await engine.checkpoint();
  const attempt = (port: DynamoPort, putBack: (step: Step) => Promise<void>) => {
    return async (step: Step): Promise<Outcome> => {
      const { ClientRequestToken: _token, ...input } = step.input;
      const fresh = { ...step, input };
      const outcome = await outcomeOf(port, fresh);
      if (outcome.kind !== "rejected") await putBack(fresh);
      return outcome;
    };
  };
  return {
    engine: attempt(engine, () => engine.restore(now)),
    local: attempt(lane.local, async (step) => {
      for (const named of namedItems(step, lane.tables)) await copyItem(named, engine, lane.local);
    }),
  };
}
