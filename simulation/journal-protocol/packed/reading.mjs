import { commitKey, eventKey, writerKey } from "../layout.mjs";
import { commitState } from "../reading.mjs";
import { read, readTogether, Violation } from "../world.mjs";
import { beside, bottomPlace, declaredLast, firstPage, isSnapshot, placeOf, topPlace } from "./layout.mjs";

/** A query, page by page. The items of a page are read one after the other as well: what is written meanwhile is seen in part. */
export class Query {
  #options;
  #range;
  #page = [];
  #isOver = false;

  constructor(options, { from = 0, to = topPlace, reverse = false } = {}) {
    this.#options = options;
    this.#range = { from, to, reverse };
  }

  /** The next item with its key and place; undefined if there is none. */
  *next() {
    if (this.#page.length === 0 && !this.#isOver) yield* this.#read();
    return this.#page.shift();
  }

  /** The next items, at most so many. */
  *take(count) {
    const items = [];
    while (items.length < count) {
      const found = yield* this.next();
      if (found === undefined) break;
      items.push(found);
    }
    return items;
  }

  *#read() {
    const limit = 1 + this.#options.world.below(4);
    this.#page = yield { scan: { place: placeOf, ...this.#range, limit } };
    this.#isOver = this.#page.length < limit;
    const end = this.#page.at(-1)?.at;
    if (this.#range.reverse) this.#range.to = end - beside;
    else this.#range.from = end + beside;
  }
}

/** Everything in a part of the partition. */
export function* listItems(options, range = { from: bottomPlace }) {
  return yield* new Query(options, range).take(Number.POSITIVE_INFINITY);
}

/** Whether an item of events counts. A staged one does exactly when its commit record names its write. This is read after the item. */
function* counts(item, { fault, records }) {
  if (!item.staged || item.tombstone || fault === "staged-counts") return true;
  if (records !== undefined) return records.some(({ writeId }) => writeId === item.writeId);
  return (yield* read(commitKey(item.seq - item.index)))?.writeId === item.writeId;
}

/** The same by a transaction of reads: also while the commit becomes visible. */
export function* countsForSure(item) {
  if (!item.staged || item.tombstone) return true;
  return (yield* commitState(item.seq - item.index)).committed === item.writeId;
}

/** Up to which number an item says that numbers are taken. */
export function lastTaken(item, { fault }) {
  if (item.tombstone) return fault === "tombstone-without-last" ? item.seq : item.last;
  return fault === "ends-at-item" ? item.last : declaredLast(item);
}

/** Where the id ends and begins: one reverse read. A snapshot says nothing of where the id ends: the item that covers it may end above it. */
export function* readPosition(options) {
  const { fault } = options;
  const query = new Query(options, { reverse: true });
  let writer;
  for (let found = yield* query.next(); found !== undefined; found = yield* query.next()) {
    const { key, item } = found;
    const { seq: low = 1 } = writer?.mark ?? {};
    if (key === writerKey) writer = item;
    else if (isSnapshot(key)) {
      if (fault === "snapshot-is-end") return positionOf(item.seq, writer);
    } else if (item.tombstone && fault === "tombstones-skipped") continue;
    else if (yield* counts(item, options))
      return positionOf(Math.max(lastTaken(item, options), low - 1), writer);
  }
  return positionOf((writer?.mark?.seq ?? 1) - 1, writer);
}

function positionOf(highest, writer) {
  return { highest, low: writer?.mark?.seq ?? 1, writer };
}

/** All events from a number on: one forward read, and what it takes to fill its gaps. */
export function* replay(options, from = 1) {
  for (;;) {
    const found = yield* replayOnce(options, from);
    if (found !== "trimmed") return found;
  }
}

function* replayOnce(settings, from) {
  const isEarly = settings.fault === "records-read-first";
  const records = isEarly ? yield* listItems(settings, { from: bottomPlace, to: 0 }) : undefined;
  const options = { ...settings, records: records?.map(({ item }) => item) };
  const query = new Query(options, { from });
  const page = yield* query.take(firstPage);
  for (const found of page) found.live = yield* isEvents(found, options);
  // Where everything fits one page it tells the end as well. Otherwise the end is fixed now: a fast writer must not keep a reader forever.
  const isAll = page.length < firstPage && (from === 1 || page.some(({ live }) => live));
  const { highest, low } = isAll ? endOf(page, options) : yield* readPosition(options);
  const events = new Events(options, Math.max(from, low), highest);
  for (let found = page.shift(); found !== undefined; found = page.shift() ?? (yield* query.next())) {
    const { key, item } = found;
    if (placeOf(key) > highest) break;
    if (!(found.live ?? (yield* isEvents(found, options)))) continue;
    if ((yield* events.upTo(item.seq)) === "trimmed") return "trimmed";
    if (events.add(item) === "trimmed") return "trimmed";
  }
  if ((yield* events.upTo(highest + 1)) === "trimmed") return "trimmed";
  return { rows: events.rows, highest, lowest: Math.max(from, low) };
}

/** Whether an item holds events that count. */
export function* isEvents({ key, item }, options) {
  if (key === writerKey || isSnapshot(key) || item.tombstone) return false;
  return yield* counts(item, options);
}

function endOf(page, options) {
  const writer = page.find(({ key }) => key === writerKey)?.item;
  const low = writer?.mark?.seq ?? 1;
  const taken = page.filter(({ item, live }) => live || item.tombstone);
  return { low, highest: Math.max(low - 1, ...taken.map(({ item }) => lastTaken(item, options))) };
}

/** Events in order. Numbers that no item has shown yet are searched for. */
class Events {
  rows = [];
  #expected;
  #options;
  #highest;

  constructor(options, expected, highest) {
    this.#options = options;
    this.#expected = expected;
    this.#highest = highest;
  }

  /**
   * An item may begin below what is expected, and end above the end that was fixed: it was compacted meanwhile. One that lacks
   * what is expected was rewritten by a delete that has raised the low mark since that was read.
   */
  add({ last, rows }) {
    if (last >= this.#expected && isTrimmed(rows, this.#expected, this.#options)) return "trimmed";
    this.rows.push(...rows.filter(({ seq }) => seq >= this.#expected && seq <= this.#highest));
    this.#expected = Math.max(this.#expected, last + 1);
    return undefined;
  }

  /** Fills the gap below a number. "trimmed" if it was deleted meanwhile. */
  *upTo(number) {
    if (this.#options.fault === "no-covering-item") this.#expected = Math.max(this.#expected, number);
    while (this.#expected < number) {
      const item = yield* find(this.#expected, this.#options);
      if (item === "trimmed") return item;
      if (this.add(item) === "trimmed") return "trimmed";
    }
    return undefined;
  }
}

/** Whether an item that covers a number no longer holds it. */
export function isTrimmed([first], number, { fault }) {
  return first.seq > number && fault !== "trust-old-mark";
}

/**
 * The item that covers a number which a query has not shown: its item begins below, was merged into another, or becomes visible
 * just now. Only what is still missing after repeated reads is lost.
 */
export function* find(number, options) {
  for (let attempt = 0; attempt < 2; attempt++) {
    const item = (yield* covering(number, options)) ?? (yield* arriving(number, options));
    if (item !== undefined) return item;
    if (((yield* read(writerKey))?.mark?.seq ?? 1) > number) return "trimmed";
  }
  throw new Violation(`a read finds nothing at ${number}`);
}

/** The first item below that counts, if it reaches the number. */
function* covering(number, options) {
  const query = new Query(options, { to: number, reverse: true });
  for (let found = yield* query.next(); found !== undefined; found = yield* query.next()) {
    const { key, item } = found;
    if (isSnapshot(key)) continue;
    if (item.tombstone) {
      if (item.last < number) continue;
      const target = yield* merged(item, number, options);
      // Expired tombstones go in any order: that of an item which was merged twice may be gone.
      if (target !== undefined || item.into === undefined) return target;
    } else if (yield* countsForSure(item)) return yield* partWith(number, item);
  }
  return undefined;
}

/** The item of a write that covers a number: this one, or a later one, which may become visible just now. */
function* partWith(number, item) {
  let part = item;
  while (part.last < number && declaredLast(part) >= number) {
    const [next] = yield* readTogether(eventKey(part.last + 1));
    if (next === undefined || next.tombstone || next.writeId !== part.rows.at(-1).writeId) return undefined;
    part = next;
  }
  return part.last >= number ? part : undefined;
}

/** The item into which one was merged. It may become visible just now: a transaction of reads waits for it. */
function* merged(tombstone, number, { fault }) {
  for (let item = tombstone; item?.tombstone; ) {
    if (item.into === undefined) return undefined;
    const key = eventKey(item.into);
    [item] = fault === "gaps-read-plainly" ? [yield* read(key)] : yield* readTogether(key);
    if (!item?.tombstone) return item?.last >= number ? item : undefined;
  }
  return undefined;
}

/** The item at a number, even while it becomes visible. */
function* arriving(number, options) {
  const key = eventKey(number);
  const [item] = options.fault === "gaps-read-plainly" ? [yield* read(key)] : yield* readTogether(key);
  if (item?.tombstone) return yield* merged(item, number, options);
  return item !== undefined && (yield* countsForSure(item)) ? item : undefined;
}
