/**
 * An executable model of projections: how events of a feed are applied exactly once.
 *
 *   node simulation/projection.mjs [--walks=2000] [--seed=1] [--fault=NAME]
 *
 * Two runners apply two versions of a projection, slice by slice; a third client pauses, resumes, skips, rewinds, retries and drops parked events,
 * and switches versions. Each may crash between any two requests and rest; answers get lost, and requests without an answer may be carried out
 * much later. Runners take slices over whenever they like: leases save work, and nothing depends on them. The state of a projection is
 * always the fold of the events up to its position, without those that are parked, skipped or dropped; events of an id are applied in order; nothing
 * is applied while a version is paused. `--fault` plants a mistake that it must find: see projection/faults.mjs. Change the protocol
 * here first, then in packages/feed/src/projections.
 */

import { runWalks } from "./lib/run-walks.mjs";
import { faults, harmless } from "./projection/faults.mjs";
import { walk } from "./projection/walk.mjs";

runWalks({
  walk,
  known: Object.keys({ ...faults, ...harmless }),
});
