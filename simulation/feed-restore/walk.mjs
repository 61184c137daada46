import { lost, Violation, World } from "../feed/world.mjs";
import { reader, runner, sequencer } from "./clients.mjs";
import { slices, Truth } from "./truth.mjs";

/** One walk. Returns the violation, if there is one, how often the table was restored, and how often that was noticed. */
export function walk(seed, { fault } = {}) {
  const world = new World(seed);
  const truth = new Truth(world);
  const parts = { world, truth, fault };
  const begins = [sequencer, sequencer, reader, reader, runner, runner];
  const clients = begins.map((begin, at) => {
    const start = () => begin(parts, { name: `${begin.name} ${at % 2}` });
    return { start, steps: start(), canStay: begin !== sequencer };
  });
  const rates = { loss: world.pick([0, 0.1, 0.3]), crash: world.pick([0, 0.01]) };
  try {
    for (let step = 0; step < 600; step++) {
      world.now++;
      if (world.chance(0.2)) truth.append();
      if (world.chance(0.02)) truth.keep();
      if (world.chance(0.01)) restore(parts, clients);
      for (const client of clients) turn(world, client, rates);
    }
    calm(parts, clients);
    return { restores: truth.restores, noticed: truth.noticed };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, trace: world.trace };
  }
}

function begin(client) {
  Object.assign(client, { steps: client.start(), answer: undefined, rests: 0 });
}

/** The table is replaced. Sequencers end, because its stream is another one; other processes end or go on, often only once the feed has been filled again. */
function restore({ world, truth }, clients) {
  truth.restore();
  for (const client of clients) if (!client.canStay || world.chance(0.5)) begin(client);
  const isFilledFirst = world.chance(0.7);
  for (let turns = isFilledFirst ? 30 + world.below(60) : 0; turns > 0; turns--) {
    if (world.chance(0.4)) truth.append();
    for (const client of clients) if (!client.canStay) turn(world, client, { loss: 0, crash: 0 });
  }
}

function turn(world, client, { loss, crash }) {
  if (client.rests > 0) {
    client.rests--;
    return;
  }
  if (world.chance(0.01)) client.rests = world.below(30);
  if (world.chance(crash)) begin(client);
  const { value: request } = client.steps.next(client.answer);
  if (request.loses && world.chance(loss)) {
    if (world.chance(0.5)) world.execute(request);
    client.answer = lost;
  } else client.answer = world.execute(request);
}

/** No further restores: everything is fed, returned and applied. */
function calm({ world, truth }, clients) {
  const wanted = Array.from({ length: slices }, (_unused, slice) => world.items.get(`journal-${slice}`));
  const isSame = (events = [], slice) => String(events) === String(wanted[slice]);
  const isComplete = () =>
    wanted.every((_events, slice) => isSame(truth.fed(slice), slice)) &&
    [0, 1].every((at) => (world.items.get(`reader-reader ${at}`)?.seen ?? [[], []]).every(isSame)) &&
    wanted.every((_events, slice) => isSame(world.items.get(`slice-${slice}`)?.state, slice));
  for (let turns = 0; turns < 20_000 && !isComplete(); turns++)
    for (const client of clients) turn(world, client, { loss: 0, crash: 0 });
  if (!isComplete()) throw new Violation("not everything is returned and applied");
}
