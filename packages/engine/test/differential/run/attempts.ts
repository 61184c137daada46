import type { Engine } from "@tablekeep/engine";
import type { Outcomes } from "../faults/has-both-faults.ts";
import type { Step } from "../step.ts";
import type { Lane } from "./lane.ts";
import { outcomeOf } from "./outcome.ts";
import { resync } from "./resync.ts";

/** Tries steps on both backends, each from the state that they have now, and leaves them in it. */
export async function attemptsOn(lane: Lane, engine: Engine): Promise<(step: Step) => Promise<Outcomes>> {
  const now = await engine.checkpoint();
  return async (step) => {
    const { ClientRequestToken: _token, ...input } = step.input;
    const fresh = { ...step, input };
    const outcomes = { engine: await outcomeOf(engine, fresh), local: await outcomeOf(lane.local, fresh) };
    const bothRefused = outcomes.engine.kind === "refused" && outcomes.local.kind === "refused";
    if (bothRefused || /^(Batch|Transact)?Get|^Query$|^Scan$/.test(step.operation)) return outcomes;
    await engine.restore(now);
    await resync(fresh, lane.tables, engine, lane.local);
    return outcomes;
  };
}
