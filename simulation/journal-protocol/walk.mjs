import { Truth } from "./checking.mjs";
import { appending, deleter, reader, recovery, writer } from "./clients.mjs";
import { deleteTo } from "./deleting.mjs";
import { calmEntity, entity, forgotten, Operator, stateReader, trimmer } from "./entities.mjs";
import { bucketSize, eventKey, tombstoneLife } from "./layout.mjs";
import { originalHistory } from "./original-history.mjs";
import { readMarks, readPosition, replay, replayAhead } from "./reading.mjs";
import { lost, Violation, World } from "./world.mjs";

/** How many steps a walk has at most. */
const maxSteps = 6000;

/** One walk: first with faults, then without, when everything must work. Returns the violation, if there is one. */
export function walk(seed, options) {
  const world = new World(seed);
  const truth = new Truth();
  try {
    if (options.original) truth.inherited(originalHistory(world));
    trouble(world, truth, options);
    calm(world, truth, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function trouble(world, truth, options) {
  const mood = {
    chaos: world.chance(0.8),
    lossRate: world.pick([0, 0.08, 0.08, 0.3]),
    time: world.chance(0.5),
    expires: world.chance(0.5),
  };
  const clients = options.purge
    ? entityClients(world, truth, options)
    : journalClients(world, truth, options);
  for (let step = 0; step < maxSteps && clients.some(({ done }) => !done); step++) {
    if (world.late.length > 0 && world.chance(0.1)) landLate(world);
    if (world.veils.size > 0 && world.chance(0.05)) world.showOne([...world.veils.values()]);
    if (mood.time && world.chance(0.01)) passTime(world, clients, mood.expires);
    const client = world.pick(clients.filter(({ done, stopped }) => !done && !stopped));
    if (client.asleep > 0) client.asleep--;
    else if (mood.chaos && world.chance(0.01)) client.asleep = world.below(200);
    else {
      if (mood.chaos && isWriter(client) && world.chance(0.004)) start(client, "crashes");
      turn(world, client, mood.lossRate, options.oneByOne);
      if (options.shared) truth.seenByOriginal(world.items);
    }
  }
  for (const request of world.late.splice(0)) if (world.chance(0.5)) world.execute(request);
  world.veils.clear();
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
  const operator = new Operator(world, truth, options, {
    stop() {
      if (options.fault === "live-writer") return;
      for (const client of clients.filter(isWriter)) {
        start(client, "is stopped");
        client.stopped = true;
      }
      endLate(world, isWriter);
    },
    moveToRestored() {
      for (const client of clients) start(client, "goes on with the restored table");
      world.late = [];
      world.veils.clear();
    },
    go() {
      for (const client of clients) client.stopped = false;
      endLate(world, ({ name }) => name === "O");
    },
  });
  return [...clients, newClient("O", world, () => operator.work())];
}

/** After a long enough wait no request of these clients is left. */
function endLate(world, isOf) {
  const ended = world.late.filter((request) => isOf({ name: request.by }));
  world.late = world.late.filter((request) => !ended.includes(request));
  for (const request of ended) if (world.chance(0.5)) world.execute(request);
  world.veils.clear();
}

function newClient(name, world, work) {
  const client = { name, world, work };
  start(client);
  return client;
}

function start(client, why) {
  client.me = { world: client.world, name: client.name, busy: false };
  const fresh = { answer: undefined, underWay: [], asleep: 0, done: false };
  Object.assign(client, { steps: client.work(client.me), ...fresh });
  if (why !== undefined) client.world.say(client.name, why);
}

function isWriter({ name }) {
  return name === "A" || name === "B";
}

function landLate(world) {
  const [request] = world.late.splice(world.below(world.late.length), 1);
  const { refused } = world.execute(request);
  world.say("late:", keysOf(request), refused === undefined ? "written" : `refused at ${refused}`);
}

/** A call does not outlive its deadline: those in flight end as if their clients had crashed. */
function passTime(world, clients, expires) {
  world.tick(expires);
  for (const client of clients)
    if (!client.done && (client.me.busy || !isWriter(client))) start(client, "is too late");
}

/** One client makes one request, or gets closer to the answer to its last: a transaction ends when all of it is visible. */
function turn(world, client, lossRate, oneByOne) {
  if (world.showOne(client.underWay)) return;
  const { value: request, done } = client.steps.next(client.answer);
  client.done = done;
  if (done || request.idle) return;
  if (request.write === undefined) {
    client.answer = world.execute(request);
    return;
  }
  if (world.chance(lossRate)) {
    const fate = world.random();
    if (fate < 0.4) oneByOne ? world.begin(request) : world.execute(request);
    else if (fate < 0.8) world.late.push({ ...request, by: client.name });
    client.answer = lost;
    world.say(client.name, keysOf(request), "answer lost");
    return;
  }
  const { answer, veils } = oneByOne ? world.begin(request) : { answer: world.execute(request), veils: [] };
  Object.assign(client, { answer, underWay: veils });
  const { refused } = answer;
  world.say(client.name, keysOf(request), refused === undefined ? "written" : `refused at ${refused}`);
}

function keysOf(request) {
  return request.write.map(({ key }) => key).join(",");
}

/** Nothing goes wrong any more: appends of every kind succeed, deletes end what was begun, nothing is left over. */
function calm(world, truth, options) {
  const run = (steps) => {
    for (let answer; ; ) {
      const { value, done } = steps.next(answer);
      if (done) return value;
      answer = world.execute(value);
    }
  };
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
  try {
    run(replay(options));
    return false;
  } catch (error) {
    if (error instanceof Violation) return true;
    throw error;
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
