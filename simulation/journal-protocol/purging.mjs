import { deleteTo } from "./deleting.mjs";
import {
  bucketOf,
  bucketSize,
  commitKey,
  eventKey,
  highMarkKey,
  lowMarkKey,
  shards,
  writerKey,
} from "./layout.mjs";
import { readPosition } from "./reading.mjs";
import { read, readTogether, sure, write } from "./world.mjs";

/**
 * Removes everything of an id: all its events count as deleted first, and the mark that says so goes after all that it
 * speaks of. `marked` is called once the mark stands: what is read from then on says that everything is deleted. `ended` is
 * called at the moment in which it goes: the id has a new life from then on.
 */
export function* purge(world, options, { marked, ended }) {
  yield* deleteTo(world, Number.POSITIVE_INFINITY, options, { dropsRows: false });
  marked();
  const position = yield* readPosition(options);
  yield* removeRows(position, options);
  yield* removeSmallItems(position.low, options, ended);
}

/** One bucket further than anything should stand; if anything does there, on until a bucket is empty. */
function* removeRows({ highest, low }, { fault }) {
  const writer = yield* read(writerKey);
  let expected = endOfBucket(Math.max(highest, writer?.stage?.last ?? 0, writer?.left?.last ?? 0));
  for (let from = low.tombsFrom; ; ) {
    const to = endOfBucket(expected + 1);
    const numbers = Array.from({ length: to - from + 1 }, (_unused, at) => from + at);
    const rows = (yield* readTogether(...numbers.map(eventKey))).filter((row) => row !== undefined);
    for (const row of rows) {
      const first = committedFirst(row) ?? row.commitOf;
      // Before the row that tells of it goes.
      if (first !== undefined && fault !== "purge-keeps-records") yield* remove(commitKey(first));
      yield* remove(eventKey(row.seq));
    }
    if (Math.max(0, ...rows.map(({ seq }) => seq)) <= expected) return;
    from = to + 1;
    expected = to;
  }
}

/** The marks and the writer item; the low mark that holds the highest number on its own, after all others. */
function* removeSmallItems(low, { fault }, ended) {
  const last = lowMarkKey(low.seq);
  const marks = Array.from({ length: shards }, (_unused, shard) => shard * bucketSize);
  const keys = [...marks.map(highMarkKey), ...marks.map(lowMarkKey)];
  if (fault !== "purge-keeps-writer") keys.push(writerKey);
  if (fault === "low-mark-first") yield* remove(last);
  const others = keys.filter((key) => key !== last);
  const items = yield* readTogether(...others);
  for (const [at, key] of others.entries()) if (items[at] !== undefined) yield* remove(key);
  yield* sure(write({ key: last, to: (mark) => void (mark && ended(last)) }));
}

function remove(key) {
  return sure(write({ key, to: () => undefined }));
}

function committedFirst({ seq, staged, index, lastIndex }) {
  return staged && index === lastIndex ? seq - index : undefined;
}

function endOfBucket(number) {
  return (bucketOf(number) + 1) * bucketSize - 1;
}
