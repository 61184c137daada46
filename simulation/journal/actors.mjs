import { isTablekeepError, sleep } from "@tablekeep/core";
import { startProcess } from "./process.mjs";

const second = 1000;
const hour = 3600 * second;

/** The sizes of atomic writes, of which every story has its own mixture. */
export const mixtures = [
  [1, 1, 1, 2],
  [1, 1, 1, 1, 2, 3, 7, 101],
  [1, 101, 102],
];

/** Appends, sometimes a batch, sometimes several writes at once; crashes and restarts; idles, now and then for half a day. */
export function writerActor(world, name, id) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    let { journal, kill } = await open();
    let writer;
    for (let operation = random.int(4, 10); operation > 0; operation--) {
      await sleep(world.clock, random.chance(0.03) ? random.int(11, 30) * hour : random.int(0, 2 * second));
      const lives = random.chance(0.1) ? random.int(0, second) : undefined;
      const work = async () => {
        writer ??= await journal.recover(id);
        const outcomes = await writer.appendEach(writesOf(world, random));
        if (outcomes.some(({ kind }) => kind === "conflict" || kind === "unknown")) writer = undefined;
      };
      if (lives === undefined) await attempt(world, work);
      else {
        // It crashes during its work, or right after.
        const working = attempt(world, work);
        await Promise.race([working, sleep(world.clock, lives)]);
        kill();
        ({ journal, kill } = await open());
        writer = undefined;
      }
    }
  });
}

/** Replays, in part or as a whole, and asks for the highest number. */
export function readerActor(world, name, id) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    const { journal } = await open();
    for (let operation = random.int(4, 10); operation > 0; operation--) {
      await sleep(world.clock, random.int(0, 3 * second));
      await attempt(world, () => journal.replay(id, boundsOf(random)));
      if (random.chance(0.5)) await attempt(world, () => journal.highest(id));
    }
  });
}

/** Deletes a part or everything, now and then. */
export function deleterActor(world, name, id) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    const { journal } = await open();
    for (let operation = random.int(1, 4); operation > 0; operation--) {
      await sleep(world.clock, random.chance(0.1) ? random.int(20, 30) * hour : random.int(0, 6 * second));
      await attempt(world, async () => {
        const highest = await journal.highest(id);
        await journal.deleteTo(id, Math.max(0, highest - random.int(0, 4)));
      });
    }
  });
}

/** Appends without a writer: whatever the highest number is, or after one that it expects. */
export function callerActor(world, name, id) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    const { journal } = await open();
    for (let operation = random.int(3, 8); operation > 0; operation--) {
      await sleep(world.clock, random.int(0, 3 * second));
      await attempt(world, async () => {
        const [texts] = writesOf(world, random);
        const expected = random.pick(["any", "none", "read", "read"]);
        if (expected !== "read") return journal.append(id, texts, { expected });
        const highest = await journal.highest(id);
        await sleep(world.clock, random.pick([0, 0, second]));
        return journal.append(id, texts, { expected: highest });
      });
    }
  });
}

/** Compacts or removes expired data (`tool`), now and then a day after the last time. */
export function toolActor(world, name, id, tool) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    let { [tool]: run, kill } = await open();
    for (let operation = random.int(2, 6); operation > 0; operation--) {
      await sleep(world.clock, random.chance(0.1) ? random.int(20, 30) * hour : random.int(0, 4 * second));
      const working = attempt(world, () => run(id));
      if (random.chance(0.8)) await working;
      else {
        await Promise.race([working, sleep(world.clock, random.int(0, second))]);
        kill();
        ({ [tool]: run, kill } = await open());
      }
    }
  });
}

/** Saves snapshots, and loads the newest with the events after it, as a host of entities does. */
export function loaderActor(world, name, id) {
  const random = world.random.fork(name);
  return actor(world, name, async (open) => {
    const { journal, save, loadTail } = await open();
    for (let operation = random.int(3, 8); operation > 0; operation--) {
      await sleep(world.clock, random.int(0, 3 * second));
      await attempt(world, async () => {
        if (random.chance(0.4)) {
          const highest = await journal.highest(id);
          if (highest > 0) await save(id, Math.max(1, highest - random.int(0, 3)));
        }
        const loaded = await loadTail(id, random.int(1, 6));
        if (loaded !== undefined) checkLoaded(world, id, loaded);
      });
    }
  });
}

/** The events of a load follow each other, and are those that every other load has shown. */
function checkLoaded(world, id, { snapshot, events }) {
  const problem = (text) => world.problems.push(`load, ${id}: ${text}`);
  if (snapshot !== undefined && snapshot.state.at !== snapshot.sequenceNr)
    problem(`the snapshot at ${snapshot.sequenceNr} has the state of ${snapshot.state.at}`);
  for (const [at, { sequenceNr, text }] of events.entries()) {
    const before = events[at - 1]?.sequenceNr ?? sequenceNr - 1;
    if (sequenceNr !== before + 1) problem(`event ${sequenceNr} comes after ${before}`);
    if (sequenceNr <= (snapshot?.sequenceNr ?? 0)) problem(`event ${sequenceNr} is in the snapshot`);
    const key = `${id} ${sequenceNr}`;
    const known = world.loaded.get(key) ?? text;
    world.loaded.set(key, known);
    if (known !== text) problem(`event ${sequenceNr} is ${known} to one and ${text} to another`);
  }
}

async function actor(world, name, play) {
  // To open a journal reads one item: tried until it works.
  const open = async () => {
    for (;;) {
      try {
        return await startProcess(world, name);
      } catch (error) {
        if (!isTablekeepError(error)) throw error;
        await sleep(world.clock, second);
      }
    }
  };
  await play(open);
}

/** Failures under faults have a typed error that says whether to retry, or that the outcome is unknown. */
async function attempt(world, work) {
  try {
    await work();
  } catch (error) {
    if (!isTablekeepError(error) || error.kind === "corrupt" || error.kind === "invalid") {
      world.problems.push(`${error.code ?? error.name}: ${error.message}`);
    }
  }
}

function writesOf(world, random) {
  const count = random.chance(0.2) ? random.int(2, 3) : 1;
  return Array.from({ length: count }, () =>
    Array.from({ length: random.pick(world.sizes) }, () => `text-${++world.texts}`),
  );
}

function boundsOf(random) {
  return {
    ...(random.chance(0.3) && { from: random.int(1, 120) }),
    ...(random.chance(0.3) && { to: random.int(1, 250) }),
    ...(random.chance(0.3) && { max: random.int(1, 120) }),
  };
}
