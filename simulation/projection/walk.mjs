import { lost, Violation, World } from "../feed/world.mjs";
import { Control } from "./control.mjs";
import { Runner } from "./runner.mjs";
import { keys, slices, Truth, versions } from "./truth.mjs";

/** One walk: first with faults, then without, when everything must be applied. Returns the violation, if there is one. */
export function walk(seed, { fault } = {}) {
  const world = new World(seed);
  const truth = new Truth(world);
  for (const v of versions) {
    world.items.set(keys.version(v), { paused: false, revision: 0 });
    for (let s = 0; s < slices; s++) world.items.set(keys.slice(v, s), { offset: 0, epoch: 0 });
  }
  world.items.set("registry", { current: 1 });
  const parts = { world, truth, fault, flying: [] };
  try {
    injectFaults(parts);
    calm(parts);
    return {};
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function injectFaults(parts) {
  const { world, truth, fault } = parts;
  const clients = [
    () => new Runner(world, truth, { fault }).run(),
    () => new Runner(world, truth, { fault }).run(),
    () => new Control(world, truth, { fault }).run(),
  ].map((begin) => ({ begin, steps: begin(), answer: undefined }));
  const lossRate = world.pick([0, 0.1, 0.3]);
  const crashRate = world.pick([0, 0.005, 0.03]);
  for (let step = 0; step < 250; step++) {
    world.now++;
    if (step < 200 && world.chance(0.15)) truth.append();
    arrive(parts);
    for (const [at, client] of clients.entries()) {
      if (client.rests > 0) {
        client.rests--;
        continue;
      }
      if (world.chance(0.02)) client.rests = world.below(40);
      // A control that ends in the middle of a pause leaves it: a later one resumes.
      if (at < 2 && world.chance(crashRate))
        Object.assign(client, { steps: client.begin(), answer: undefined });
      for (let turns = 1 + world.below(6); turns > 0; turns--) turn(parts, client, lossRate);
    }
  }
}

/** One client makes one request. A request without an answer is carried out now, later or never. */
function turn(parts, client, lossRate) {
  const { world, truth, flying } = parts;
  const { value: request } = client.steps.next(client.answer);
  if (request.loses && world.chance(lossRate)) {
    if (world.chance(0.4)) world.execute(request);
    else if (world.chance(0.6)) flying.push({ request, at: world.now + world.below(40) });
    client.answer = lost;
  } else client.answer = world.execute(request);
  if (request.write !== undefined && !request.unchecked) truth.check();
}

function arrive({ world, truth, flying }) {
  for (const late of flying.filter(({ at }) => at <= world.now)) {
    flying.splice(flying.indexOf(late), 1);
    world.execute(late.request);
    truth.check();
  }
}

/** No further faults: what was paused, stopped or parked is continued, and one runner applies everything. */
function calm(parts) {
  const { world, truth, fault } = parts;
  while (parts.flying.length > 0) {
    world.now++;
    arrive(parts);
  }
  truth.check();
  truth.heal();
  const control = new Control(world, truth, { fault });
  const all = (function* () {
    for (const v of versions) {
      yield* control.resume(v);
      for (let s = 0; s < slices; s++) yield* control.retry(v, s);
    }
    for (;;) yield { call: () => {} };
  })();
  const clients = [{ steps: all }, { steps: new Runner(world, truth, { fault }).run() }];
  for (let turns = 0; turns < 3000 && !truth.isComplete; turns++) {
    world.now++;
    for (const client of clients) turn(parts, client, 0);
  }
  if (!truth.isComplete) throw new Violation("not everything is applied");
}
