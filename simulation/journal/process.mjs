import { wrapPort } from "@tablekeep/core";
import { openJournal } from "@tablekeep/journal";
import { recordedJournal } from "@tablekeep/journal/testing";

/**
 * A separate process that uses the journal. Once it is killed, its requests do not reach the table, and nothing
 * that it waits for ever comes.
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
  const journal = await openJournal(world.flawed(port), { ...options, clock, random: random.fork(name) });
  return {
    journal: recordedJournal(journal, recorder, name),
    kill() {
      dead = true;
    },
  };
}

function forEver() {
  return new Promise(() => {});
}
