import { Truth } from "./checking.mjs";
import { appending, deleter, reader, recovery, writer } from "./clients.mjs";
import { deleteTo } from "./deleting.mjs";
import { calmEntity, entity, forgotten, Operator, stateReader, trimmer } from "./entities.mjs";
import { bucketSize, eventKey, tombstoneLife } from "./layout.mjs";
import { originalHistory } from "./original-history.mjs";
import { readMarks, readPosition, replay, replayAhead } from "./reading.mjs";
import { hostsOf, moodOf, newClient, runAlone, schedule } from "./scheduling.mjs";
import { Violation, World } from "./world.mjs";

/** One walk: first with faults, then without, when everything must work. Returns the violation, if there is one. */
export function walk(seed, options) {
  const world = new World(seed);
  const truth = new Truth();
  try {
    if (options.original) truth.inherited(originalHistory(world));
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
  const clients = options.purge
    ? entityClients(world, truth, options)
    : journalClients(world, truth, options);
  schedule(world, clients, mood, {
    oneByOne: options.oneByOne,
    afterTurn: () => options.shared && truth.seenByOriginal(world),
  });
}

function journalClients(world, truth, options) {
  return [
    newClient("A", world, (me) => writer(me, truth, options)),
    newClient("B", world, (me) => writer(me, truth, options)),
    newClient("R", world, () => reader(truth, options)),
    ...(world.chance(0.5) ? [newClient("D", world, () => deleter(world, options))] : []),
  ];
}

/** Entities with snapshots, and an operator who stops them, removes or restores the journal, and starts them again. */
function entityClients(world, truth, options) {
  const clients = [
    newClient("A", world, (me) => entity(me, truth, options)),
    newClient("B", world, (me) => entity(me, truth, options)),
    newClient("R", world, () => stateReader(truth, options)),
    newClient("D", world, () => trimmer(world, options)),
  ];
  const hosts = hostsOf(world, clients, options.fault !== "live-writer");
  const operator = new Operator(world, truth, options, hosts);
  return [...clients, newClient("O", world, () => operator.work())];
}

/** No further faults: appends of every kind succeed, deletes end what was begun, nothing is left over. */
function calm(world, truth, options) {
  const run = (steps) => runAlone(world, steps);
  const me = { world, name: "Z" };
  if (options.purge) run(calmEntity(me, truth, options));
  run(recovery(me, truth, options));
  for (const count of [1, 2, 6, 1, 5]) {
    let outcome;
    for (let attempt = 0; attempt < 3 && outcome !== "ok"; attempt++) {
      if (attempt > 0) run(recovery(me, truth, options));
      outcome = run(appending(me, truth, count, options));
    }
    if (outcome !== "ok") throw new Violation(`no progress: an append of ${count} ends as ${outcome}`);
    const known = truth.known();
    truth.replayed(run(options.readAhead ? replayAhead(options) : replay(options)), known);
    if (count < 3) checkLosses(world, run, options);
  }
  checkLosses(world, run, options);
  run(deleteTo(world, 0, options));
  checkLeftovers(world, run, "rows", (row) => row.tombstone !== true);
  for (let tick = 0; tick < tombstoneLife; tick++) world.tick(false);
  for (let sweep = 0; sweep < 20; sweep++) {
    run(deleteTo(world, 0, options));
    for (let tick = 0; tick < tombstoneLife; tick++) world.tick(false);
  }
  checkLeftovers(world, run, "tombstones", () => true);
  if (options.purge) run(forgotten(world, truth, options));
}

/** A replay reports a lost Tablekeep row. Only the loss of the last one, where no mark is written with it, is not. */
function checkLosses(world, run, options) {
  // Without marks nothing leads to the rows above the one that is lost.
  if (options.fault === "no-mark") return;
  const whole = world.items;
  const { highest, low } = run(readPosition(options));
  const isMarked = highest % bucketSize === 0;
  for (let number = Math.max(1, low.seq); number <= highest; number++) {
    const row = whole.get(eventKey(number));
    if (row?.writeId === undefined) continue;
    if (number === highest && !isMarked && row.lastIndex === undefined) continue;
    world.items = new Map(whole);
    world.items.delete(eventKey(number));
    if (!isReported(run, options))
      throw new Violation(`a replay does not report that row ${number} of ${row.writeId} is lost`);
  }
  world.items = whole;
}

function isReported(run, options) {
  // Nobody reads where these errors come from, and there are so many that their stacks would take a tenth of a walk.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run(replay(options));
    return false;
  } catch (error) {
    if (error instanceof Violation) return true;
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function checkLeftovers(world, run, what, counts) {
  const { low } = run(readMarks());
  for (let number = 1; number < low.seq; number++) {
    const row = world.items.get(`P${number}`);
    if (row !== undefined && counts(row))
      throw new Violation(`${what} are left below the low mark ${low.seq}, at ${number}`);
  }
}
