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
import { listKeys, read, readTogether, sure, write } from "./world.mjs";

/**
 * Removes everything of an id: all its events count as deleted first, and the mark that says so goes after all that it
 * speaks of. `marked` is called once the mark is written: what is read from then on says that everything is deleted. `ended` is
 * called at the moment in which it goes: the id has a new life from then on.
 */
export function* purge(world, options, { marked, ended }) {
  const position = yield* deleteAll(world, options);
  marked();
  yield* removeRows(position, options);
  // Where rows are removed, nothing names the records that earlier deletes left to expire.
  if (options.shared && options.fault !== "purge-keeps-records")
    for (const key of yield* listKeys(commitKey(""))) yield* remove(key);
  yield* removeSmallItems(position.low, options, ended);
}

/** Marks everything as deleted, also for the original: its low mark is the last item to go. */
function* deleteAll(world, options) {
  for (;;) {
    yield* deleteTo(world, Number.POSITIVE_INFINITY, options, { dropsRows: options.shared });
    const position = yield* readPosition(options);
    const mark = yield* read(lowMarkKey(position.low.seq));
    if ((mark?.seq ?? 0) >= position.low.seq) return position;
  }
}

/** One bucket further than expected; if it has rows, on until a bucket is empty. */
function* removeRows({ highest, low }, { fault }) {
  const writer = yield* read(writerKey);
  let expected = endOfBucket(Math.max(highest, writer?.stage?.last ?? 0, writer?.left?.last ?? 0));
  for (let from = low.tombsFrom; ; ) {
    const to = endOfBucket(expected + 1);
    const numbers = Array.from({ length: to - from + 1 }, (_unused, at) => from + at);
    const rows = (yield* readTogether(...numbers.map(eventKey))).filter((row) => row !== undefined);
    for (const row of rows) {
      const first = committedFirst(row) ?? row.commitOf;
      // Before the row that refers to it is removed.
      if (first !== undefined && fault !== "purge-keeps-records") yield* remove(commitKey(first));
      yield* remove(eventKey(row.seq));
    }
    if (Math.max(0, ...rows.map(({ seq }) => seq)) <= expected) return;
    from = to + 1;
    expected = to;
  }
}

/**
 * The marks; then, at one moment, the writer item and the low mark that holds the highest number. Deletes in flight are
 * refused where the writer item is another, and write no mark again.
 */
function* removeSmallItems(low, { fault }, ended) {
  const last = lowMarkKey(low.seq);
  const marks = Array.from({ length: shards }, (_unused, shard) => shard * bucketSize);
  const others = [...marks.map(highMarkKey), ...marks.map(lowMarkKey)].filter((key) => key !== last);
  if (fault === "low-mark-first") yield* remove(last);
  if (fault === "writer-first") yield* remove(writerKey);
  const items = yield* readTogether(...others);
  for (const [at, key] of others.entries()) if (items[at] !== undefined) yield* remove(key);
  const keepsWriter = ["purge-keeps-writer", "writer-first"].includes(fault);
  yield* sure(
    write(!keepsWriter && { key: writerKey, to: () => undefined }, {
      key: last,
      to: (mark) => void (mark && ended(last)),
    }),
  );
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
