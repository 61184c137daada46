import { wrapPort } from "@tablekeep/core";
import { loadTail, openJournal, openSnapshots } from "@tablekeep/journal";
import { recordedJournal } from "@tablekeep/journal/testing";
import { compactJournal, expireEvents } from "@tablekeep/journal/tools";
import { expiringJournal, textOf } from "./expiring.mjs";

/**
 * A separate process that uses the journal. Once it is killed, its requests do not reach the table, and nothing
 * that it waits forever comes.
 */
export async function startProcess(world, name, reached = world.port) {
  let dead = false;
  const port = wrapPort(reached, async (operation, input, options, next) => {
    if (dead) return forEver();
    const answer = await Promise.allSettled([next(operation, input, options)]);
    if (dead) return forEver();
    if (answer[0].status === "rejected") throw answer[0].reason;
    return answer[0].value;
  });
  const { clock, random, options, recorder } = world;
  const flawed = world.flawed(port, world);
  // Everything that a process waits for and draws comes from the run: with the machine's own, no seed would repeat.
  const own = { ...options, clock, random: random.fork(name) };
  const { table, layout } = own;
  const ownSnapshots = () => openSnapshots(flawed, { journal: { table, layout, clock, random: own.random } });
  const journal = world.flawedJournal(await openJournal(flawed, own));
  return {
    journal: recordedJournal(expiringJournal(world, journal), recorder, name),
    purge: (id) => journal.purge(id),
    compact: (persistenceId) => compactJournal(flawed, own, { persistenceId }),
    expire: (persistenceId) => expireEvents(flawed, own, { persistenceId }),
    /** Saves a snapshot of the packed layout. */
    async save(id, sequenceNr) {
      const snapshots = await ownSnapshots();
      await snapshots.save(id, sequenceNr, { at: sequenceNr });
    },
    /** The newest snapshot and the events after it, with one request if nothing goes wrong. */
    async loadTail(id, limit) {
      const snapshots = await ownSnapshots();
      const loaded = await loadTail(journal, snapshots, id, { limit });
      if (loaded === undefined) return undefined;
      const events = [];
      for await (const event of loaded.events)
        events.push({ sequenceNr: event.sequenceNr, text: textOf(world, event) });
      return { snapshot: loaded.snapshot, events };
    },
    kill() {
      dead = true;
    },
  };
}

function forEver() {
  return new Promise(() => {});
}
