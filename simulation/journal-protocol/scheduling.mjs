import { lost, Violation } from "./world.mjs";

/** How many steps a walk has at most. */
const maxSteps = 6000;
/** How many requests something takes at most that runs alone. */
const maxRequests = 50_000;

/** The kinds of faults of a walk. */
export function moodOf(world) {
  return {
    chaos: world.chance(0.8),
    lossRate: world.pick([0, 0.08, 0.08, 0.3]),
    time: world.chance(0.5),
    expires: world.chance(0.5),
  };
}

/**
 * Lets clients work in turn, in any order, until all have ended. `afterTurn` checks what must always hold; `mayCrash` says which
 * clients crash; `lossPause` is how many turns it takes at most until a client notices that an answer is lost.
 */
export function schedule(world, clients, mood, { oneByOne, afterTurn, mayCrash = isWriter, lossPause = 0 }) {
  for (let step = 0; step < maxSteps && clients.some(({ done }) => !done); step++) {
    if (world.late.length > 0 && world.chance(0.1)) landLate(world);
    if (world.veils.size > 0 && world.chance(0.05)) world.showOne([...world.veils.values()]);
    if (mood.time && world.chance(0.01)) passTime(world, clients, mood.expires);
    const client = world.pick(clients.filter(({ done, stopped }) => !done && !stopped));
    if (client.asleep > 0) client.asleep--;
    else if (mood.chaos && world.chance(0.01)) client.asleep = world.below(200);
    else {
      if (mood.chaos && mayCrash(client) && world.chance(0.004)) start(client, "crashes");
      turn(world, client, mood.lossRate, oneByOne);
      if (client.answer === lost && lossPause > 0) client.asleep = world.below(lossPause);
      afterTurn();
    }
  }
  for (const request of world.late.splice(0)) if (world.chance(0.5)) world.execute(request);
  world.veils.clear();
}

/** Carries out the steps of one client while no other client does anything, and returns their result. */
export function runAlone(world, steps) {
  let answer;
  for (let requests = 0; requests < maxRequests; requests++) {
    const { value, done } = steps.next(answer);
    if (done) return value;
    answer = world.execute(value);
  }
  throw new Violation("no progress: what runs alone does not end");
}

/** The processes in which an operator stops the writers and starts them again. */
export function hostsOf(world, clients, stops = true) {
  return {
    stop() {
      if (!stops) return;
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
  };
}

/** After a long enough wait no request of these clients is left. */
function endLate(world, isOf) {
  const ended = world.late.filter((request) => isOf({ name: request.by }));
  world.late = world.late.filter((request) => !ended.includes(request));
  for (const request of ended) if (world.chance(0.5)) world.execute(request);
  world.veils.clear();
}

export function newClient(name, world, work) {
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
