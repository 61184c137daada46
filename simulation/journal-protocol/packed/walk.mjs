import { Truth } from "../checking.mjs";
import { tombstoneLife } from "../layout.mjs";
import { hostsOf, moodOf, newClient, runAlone, schedule } from "../scheduling.mjs";
import { Violation, World } from "../world.mjs";
import { checkLeftovers, checkLosses, checkTombstones, Shape } from "./checking.mjs";
import {
  appending,
  caller,
  entity,
  keeper,
  loading,
  reader,
  recovery,
  stateReader,
  trimmer,
  writer,
} from "./clients.mjs";
import { compact } from "./compacting.mjs";
import { deleteTo } from "./deleting.mjs";
import { momentsOf, Operator } from "./operator.mjs";
import { purge } from "./purging.mjs";
import { replay } from "./reading.mjs";
import { deleteCovered, saveSnapshot } from "./snapshots.mjs";

/** One walk on the packed layout: first with faults, then without, when everything must work. Returns the violation, if there is one. */
export function walkPacked(seed, settings) {
  const world = new World(seed);
  const truth = new Truth();
  const options = { ...settings, world };
  try {
    injectFaults(world, truth, options);
    calm(world, truth, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function injectFaults(world, truth, options) {
  const mood = moodOf(world);
  const shape = new Shape();
  const clients = options.purge
    ? entityClients(world, truth, options)
    : journalClients(world, truth, options);
  schedule(world, clients, mood, {
    oneByOne: options.oneByOne,
    afterTurn: () => shape.check(world, truth.life),
    mayCrash: ({ name }) => name !== "O" && name !== "R",
    lossPause: 30,
  });
}

function journalClients(world, truth, options) {
  return [
    newClient("A", world, (me) => writer(me, truth, options)),
    newClient("B", world, (me) => writer(me, truth, options)),
    newClient("R", world, () => reader(truth, options)),
    ...(world.chance(0.7) ? [newClient("K", world, () => keeper(options))] : []),
    ...(world.chance(0.4) ? [newClient("E", world, (me) => caller(me, truth, options))] : []),
  ];
}

function entityClients(world, truth, options) {
  const clients = [
    newClient("A", world, (me) => entity(me, truth, options)),
    newClient("B", world, (me) => entity(me, truth, options)),
    newClient("R", world, () => stateReader(truth, options)),
    newClient("K", world, () => trimmer(options)),
  ];
  if (world.chance(0.5)) return clients;
  const hosts = hostsOf(world, clients, options.fault !== "live-writer");
  const operator = new Operator(world, truth, options, hosts);
  return [...clients, newClient("O", world, () => operator.work())];
}

/** No further faults: appends of every kind succeed, deletes end what was begun, nothing is left over. */
function calm(world, truth, options) {
  const run = (steps) => runAlone(world, steps);
  const me = { world, name: "Z" };
  if (options.purge) calmEntity(world, truth, options, me);
  run(recovery(me, truth, options));
  for (const count of [1, 2, 6, 1, 5, 8]) {
    let outcome;
    for (let attempt = 0; attempt < 3 && outcome !== "ok"; attempt++) {
      if (attempt > 0) run(recovery(me, truth, options));
      outcome = run(appending(me, truth, count, options));
    }
    if (outcome !== "ok") throw new Violation(`no progress: an append of ${count} ends as ${outcome}`);
    if (count < 3) run(compact(options));
    const known = truth.known();
    truth.replayed(run(replay(options)), known);
  }
  checkLosses(world, options);
  run(deleteTo(options, 0));
  checkLeftovers(world.items, true);
  for (let tick = 0; tick < tombstoneLife; tick++) world.tick(false);
  run(deleteTo(options, 0));
  run(compact(options));
  checkLeftovers(world.items, false);
  for (let tick = 0; tick < tombstoneLife; tick++) world.tick(false);
  run(compact(options));
  checkTombstones(world);
  if (options.purge) {
    run(purge(options, momentsOf(world, truth)));
    if (world.items.size > 0) throw new Violation(`${[...world.items.keys()].join(", ")} are left of the id`);
  }
}

/** An entity whose load is refused can be used again after a purge. */
function calmEntity(world, truth, options, me) {
  const run = (steps) => runAlone(world, steps);
  truth.stopped();
  if (run(loading(me, truth, options)).refused !== undefined) {
    run(purge(options, momentsOf(world, truth)));
    run(loading(me, truth, options));
  }
  for (const count of [1, 5]) {
    const outcome = run(appending(me, truth, count, options));
    if (outcome !== "ok")
      throw new Violation(`no progress: an append of ${count} by an entity ends as ${outcome}`);
    run(saveSnapshot(me));
    run(deleteCovered(options));
    run(compact(options));
    run(loading(me, truth, options));
  }
}
