/**
 * An executable model of positions in a feed whose table is restored to an earlier time.
 *
 *   node simulation/feed-restore.mjs [--walks=2000] [--seed=1] [--fault=NAME]
 *
 * A journal gets events; two sequencers write them to pages, two readers and two runners of a projection follow the pages and store where they are, outside
 * of the table. Now and then the table, with the journal and its pages, goes back to an earlier state, and is filled again by other sequencers with other events.
 * Sequencers end then; readers and runners end, and have only what is stored when they begin again, or go on with what they remember. Each process may also crash between any two requests, rest and lose answers. What a reader
 * has returned, and the state of a projection, must be what the feed has up to the position, whenever they go on from it; and a position is not rejected while the pages
 * that it has passed are there. `--fault` plants a mistake that it must find: see feed-restore/faults.mjs. Change the protocol here first, then in packages/feed/src/read
 * and packages/feed/src/projections/run/slice-reader.ts.
 */
import { faults } from "./feed-restore/faults.mjs";
import { walk } from "./feed-restore/walk.mjs";
import { runWalks } from "./lib/run-walks.mjs";

const sumOf = (results, name) => results.reduce((sum, result) => sum + (result[name] ?? 0), 0);

runWalks({
  walk,
  known: Object.keys(faults),
  summaryOf: (results) => `, ${sumOf(results, "restores")} restores, ${sumOf(results, "noticed")} noticed`,
});
