import { lost, Violation, World } from "../feed/world.mjs";
import { reader, rebuilder, remover, sequencer } from "./clients.mjs";
import { Truth } from "./truth.mjs";

/** One walk: first with faults, then a removal without. Returns the violation, if there is one, and how many pages were removed. */
export function walk(seed, { fault } = {}) {
  const world = new World(seed);
  const truth = new Truth(world);
  const parts = { world, truth, fault };
  world.items.set("record", { generation: 1, state: "live", old: [] });
  try {
    const clients = [sequencer, sequencer, rebuilder, remover, remover, reader, reader].map((begin) => ({
      begin: () => begin(parts),
      steps: begin(parts),
    }));
    const lossRate = world.pick([0, 0.05, 0.2]);
    const crashRate = world.pick([0, 0.003, 0.02]);
    const restRate = world.pick([0.002, 0.01]);
    for (let step = 0; step < 1500; step++) {
      world.now++;
      for (const client of clients) takeTurn(world, client, { lossRate, crashRate, restRate });
      if (step % 5 === 0) truth.check();
    }
    calm(parts);
    return { removed: truth.removed };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function takeTurn(world, client, { lossRate, crashRate, restRate }) {
  if (client.rests > 0) {
    client.rests--;
    return;
  }
  if (world.chance(restRate)) client.rests = world.below(400);
  if (world.chance(crashRate)) Object.assign(client, { steps: client.begin(), answer: undefined });
  turn(world, client, lossRate);
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

/** No further faults: the newest generation becomes live, and everything before it is removed. */
function calm({ world, truth, fault }) {
  const record = world.items.get("record");
  world.items.set("record", { ...record, state: "live" });
  const client = { steps: remover({ world, truth, fault }) };
  for (let turns = 0; turns < 5000 && world.items.get("record").old.length > 0; turns++)
    turn(world, client, 0);
  if (world.items.get("record").old.length > 0) throw new Violation("old generations are never removed");
  truth.check();
}
