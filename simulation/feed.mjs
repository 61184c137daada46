/**
 * An executable model of the feed: how the changes that a stream shows become positions, and how projections follow them.
 *
 *   node simulation/feed.mjs [--walks=2000] [--seed=1] [--fault=NAME]
 *
 * Ids get events by writes of one item, of several and by staged ones; they are compacted, deleted from and purged, and begin again. A stream shows
 * the changes in any order that it may, by shards that split. Two sequencers and two runners of a projection compete without a lease; each
 * may crash between any two requests, rest, and lose answers. Every write must be in the feed exactly once, those of an id in order unless they are
 * flagged as late, positions without a hole, and the state of a projection is the fold of the events up to its position. `--fault` plants
 * a mistake that it must find: see feed/faults.mjs. Change the protocol here first, then in packages/feed.
 */
import { faults, harmless } from "./feed/faults.mjs";
import { walk } from "./feed/walk.mjs";
import { runWalks } from "./lib/run-walks.mjs";

runWalks({
  walk,
  known: Object.keys({ ...faults, ...harmless }),
  summaryOf: (results) => `, ${results.reduce((sum, { late = 0 }) => sum + late, 0)} late`,
});
