import { Truth } from "./checking.mjs";
import { Journal } from "./journal.mjs";
import { projection } from "./projection.mjs";
import { Sequencer, slices } from "./sequencer.mjs";
import { Stream } from "./stream.mjs";
import { lost, Violation, World } from "./world.mjs";

/** One walk: first with faults, then without, when everything must arrive. Returns the violation, if there is one, and how many writes were late. */
export function walk(seed, { fault } = {}) {
  const world = new World(seed);
  const stream = new Stream(world);
  const journal = new Journal(world, stream);
  const truth = new Truth(world, journal);
  const parts = { world, stream, journal, truth, fault };
  try {
    if (world.chance(0.5)) for (let change = 0; change < 20; change++) journal.change();
    journal.isStreaming = true;
    injectFaults(parts);
    calm(parts);
    return { late: truth.late };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function injectFaults({ world, stream, journal, truth, fault }) {
  const clients = [
    () => new Sequencer(world, { stream, journal }, { fault }).run(),
    () => new Sequencer(world, { stream, journal }, { fault }).run(),
    () => projection(world, truth, { fault }),
    () => projection(world, truth, { fault }),
  ].map((begin) => ({ begin, steps: begin(), answer: undefined }));
  // A slow sequencer builds a backlog; one that rests has an outdated view.
  const pace = world.pick([0.3, 1, 1]);
  const writing = world.pick([0.15, 0.5]);
  const splitRate = world.pick([0, 0.01, 0.03]);
  const lossRate = world.pick([0, 0.05, 0.2]);
  const crashRate = world.pick([0, 0.003, 0.02]);
  for (let step = 0; step < 500; step++) {
    world.now++;
    if (step < 400 && world.chance(writing)) takeNumber({ world, journal, fault });
    if (world.chance(splitRate)) stream.split();
    stream.deliver();
    for (const client of clients) {
      if (client.rests > 0) {
        client.rests--;
        continue;
      }
      if (world.chance(0.005)) client.rests = world.below(60);
      if (world.chance(crashRate)) Object.assign(client, { steps: client.begin(), answer: undefined });
      for (let turns = world.chance(pace) ? 4 : 0; turns > 0; turns--) turn(world, client, lossRate);
    }
    if (step % 10 === 0) truth.check();
  }
}

/** An append; with the fault its position is taken before it is committed. */
function takeNumber({ world, journal, fault }) {
  if (fault !== "number-before-commit" || world.chance(0.8)) return journal.change();
  let number = 0;
  while (world.items.has(`page-0-${number}`)) number++;
  const last = world.items.get(`page-0-${number - 1}`);
  const first = last === undefined ? 0 : last.first + last.count;
  const ref = { id: "b", first: 1, last: 1, mark: world.newId("w"), life: 0, late: true };
  const page = { first, count: 1, refs: [ref], hi: last?.hi ?? {}, own: {}, at: world.now, by: "writer" };
  world.items.set(`page-0-${number}`, page);
}

/** One client makes one request. Answers get lost where a request says that it matters. */
function turn(world, client, lossRate) {
  const { value: request } = client.steps.next(client.answer);
  if (request.loses && world.chance(lossRate)) {
    if (world.chance(0.6)) world.execute(request);
    client.answer = lost;
    return;
  }
  client.answer = world.execute(request);
}

/** No further faults: one sequencer after the other brings everything into the feed, and a projection follows. */
function calm({ world, stream, journal, truth, fault }) {
  for (let time = 0; time < 40; time++) {
    world.now++;
    stream.deliver();
  }
  for (let restart = 0; restart < 2; restart++) {
    const sequencer = new Sequencer(world, { stream, journal }, { fault });
    const client = { steps: sequencer.run() };
    for (let turns = 0; turns < 3000 || (turns < 20_000 && sequencer.isBusy); turns++) {
      if (turns % 10 === 0) world.now++;
      turn(world, client, 0);
    }
    if (sequencer.held.length > 0 && !sequencer.isSweeping)
      throw new Violation(`${sequencer.held.length} writes are held forever`);
  }
  truth.checkComplete();
  const follower = { steps: projection(world, truth, { fault }) };
  for (let turns = 0; turns < 3000 && !isProjected(world, truth); turns++) turn(world, follower, 0);
  truth.checkProjected();
}

function isProjected(world, truth) {
  for (let slice = 0; slice < slices; slice++) {
    const total = truth.pages(slice).reduce((sum, { count }) => sum + count, 0);
    if ((world.items.get(`offset-${slice}`)?.pos ?? 0) !== total) return false;
  }
  return true;
}
