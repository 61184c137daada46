/**
 * An executable model of how the pages of old generations of a feed are removed.
 *
 *   node simulation/feed-removal.mjs [--walks=2000] [--seed=1] [--fault=NAME]
 *
 * Two sequencers append pages to the generation that they know, one begins new generations, two remove old ones and two read. Each may crash between any
 * two requests, rest and lose answers; a request that removes several pages may be carried out in part. Nothing of the current generation is ever
 * removed; nothing is left of a generation that the record no longer lists, except for the pages that end its slices; and a reader that ends without
 * an error has read everything. A sequencer that rested while others wrote, until after the removal, may put pages again that are gone: they are before the
 * end of a slice that is not read. `--fault` plants a mistake that it must find: see feed-removal/faults.mjs. Change the protocol here
 * first, then in packages/feed/src/sequencer/remove-generations.ts.
 */
import { faults, harmless } from "./feed-removal/faults.mjs";
import { walk } from "./feed-removal/walk.mjs";
import { runWalks } from "./lib/run-walks.mjs";

runWalks({
  walk,
  known: Object.keys({ ...faults, ...harmless }),
  summaryOf: (results) => `, ${results.reduce((sum, { removed = 0 }) => sum + removed, 0)} pages removed`,
});
