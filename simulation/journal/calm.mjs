import { scanItems } from "@tablekeep/client";
import { startProcess } from "./process.mjs";

/** After the faults everything works: a recovery, appends of every kind, replays, a delete that ends all others. */
export async function calm(world, id) {
  const problem = (text) => world.problems.push(`calm, ${id}: ${text}`);
  try {
    const { journal, purge, compact, expire, save, loadTail } = await startProcess(
      world,
      `calm ${id}`,
      world.calmPort,
    );
    await journal.highest(id);
    await journal.replay(id);
    const writer = await journal.recover(id);
    for (const size of [1, 3, 101, 1]) {
      const texts = Array.from({ length: size }, () => `text-${++world.texts}`);
      const outcome = await writer.append(texts);
      if (outcome.kind !== "ok") problem(`an append of ${size} is ${outcome.kind}`);
    }
    const highest = await journal.highest(id);
    if (highest !== writer.highestSequenceNr)
      problem(`the highest number is ${highest}, and ${writer.highestSequenceNr} was written`);
    const texts = await journal.replay(id);
    await expire(id);
    if ((await journal.replay(id)).join() !== texts.join())
      problem("a replay differs after expired data was removed");
    if (world.options.layout === "packed") {
      await compact(id);
      // A compaction changes nothing that a replay shows.
      if ((await journal.replay(id)).join() !== texts.join()) problem("a replay differs after a compaction");
      await save(id, highest - 4);
      const tail = await loadTail(id, 3);
      if (
        tail?.snapshot?.sequenceNr !== highest - 4 ||
        tail.events.map(({ text }) => text).join() !== texts.slice(-4).join()
      )
        problem(
          `a load shows ${tail?.events.length} events after the snapshot at ${tail?.snapshot?.sequenceNr}`,
        );
    }
    await journal.deleteTo(id, highest - 2);
    await journal.replay(id);
    const left = await rowsUpTo(world, id, highest - 2);
    if (left.length > 0) problem(`rows of deleted events are left: ${left.join(" ")}`);
    await purge(id);
    const after = await rowsUpTo(world, id, Number.MAX_SAFE_INTEGER);
    if (after.length > 0) problem(`rows are left after a purge: ${after.join(" ")}`);
  } catch (error) {
    problem(`${error.code ?? error.name}: ${error.message}`);
  }
}

/** The numbers of the rows of an id, up to a number, that hold an event. */
async function rowsUpTo({ calmPort, options }, id, last) {
  const numbers = [];
  for await (const item of scanItems(calmPort, { TableName: options.table, ConsistentRead: true })) {
    const number =
      options.layout === "packed" ? packedNumberOf(item, id) : numberOf(item, id, options.layout);
    if (number > 0 && number <= last && item.wid !== undefined && item.tomb === undefined)
      numbers.push(number);
  }
  return numbers;
}

/** The first event that an item of the packed layout holds; NaN if it holds none of this id. */
function packedNumberOf(item, id) {
  return item.par?.S === `journal-P-${id}` && item.ev !== undefined
    ? Number((item.from ?? item.num).N)
    : Number.NaN;
}

/** The sequence number of a key; NaN if it is not the key of a row of this id. */
function numberOf(item, id, layout) {
  if (layout === "linear") return item.pid?.S === id ? Number(item.seq.N) : Number.NaN;
  const key = item.par?.S ?? item.key?.S ?? "";
  const start = `journal-P-${id}-`;
  if (!key.startsWith(start)) return Number.NaN;
  const rest = Number(key.slice(start.length));
  return layout === "bucketed" ? rest * 100 + Number(item.num.N) : rest;
}
