import { commitKey, eventKey, writerKey } from "../layout.mjs";
import { runAlone } from "../scheduling.mjs";
import { Violation } from "../world.mjs";
import { declaredLast } from "./layout.mjs";
import { replay } from "./reading.mjs";

/** What must hold of the stored items after every request. */
export class Shape {
  #highest = 0;
  #life;
  #changes = 0;

  /** `life` names the life of the id: in a new one everything begins again. */
  check({ items, changes }, life) {
    if (this.#changes === changes) return;
    this.#changes = changes;
    if (this.#life !== life) this.#highest = 0;
    this.#life = life;
    const all = eventItems(items);
    const live = all.filter((item) => !item.tombstone && isLive(items, item));
    for (const [at, item] of live.entries()) {
      const before = live[at - 1];
      if (before !== undefined && before.last >= item.seq)
        throw new Violation(`the items ${nameOf(before)} and ${nameOf(item)} overlap`);
    }
    const low = items.get(writerKey)?.mark?.seq ?? 1;
    const tombs = all.filter(({ tombstone }) => tombstone);
    const highest = Math.max(low - 1, ...live.map(declaredLast), ...tombs.map(({ last }) => last));
    if (highest < this.#highest)
      throw new Violation(`the highest stored number falls from ${this.#highest} to ${highest}`);
    this.#highest = highest;
  }
}

function eventItems(items) {
  const found = [...items].filter(([key]) => key.startsWith(eventKey(""))).map(([, item]) => item);
  return found.sort((one, other) => one.seq - other.seq);
}

function isLive(items, { staged, seq, index, writeId }) {
  return !staged || items.get(commitKey(seq - index))?.writeId === writeId;
}

function nameOf({ seq, last, writeId }) {
  return `${seq} to ${last} of ${writeId}`;
}

/** Nothing that was deleted is left. */
export function checkLeftovers(items, mayBeTombstone) {
  const low = items.get(writerKey)?.mark?.seq ?? 1;
  for (const item of eventItems(items)) {
    if (item.tombstone ? item.seq < low && !mayBeTombstone : (item.rows[0]?.seq ?? 0) < low)
      throw new Violation(`${nameOf(item)} is left, and the low mark is ${low}`);
  }
}

/** No tombstone is left once its time is over. */
export function checkTombstones({ items, time }) {
  const left = eventItems(items).find(({ tombstone, expiry }) => tombstone && expiry <= time);
  if (left !== undefined) throw new Violation(`the tombstone ${nameOf(left)} is left`);
}

/** A replay reports an item that is lost. Only of the last item nothing tells that it was there. */
export function checkLosses(world, options) {
  const whole = world.items;
  const low = whole.get(writerKey)?.mark?.seq ?? 1;
  const live = eventItems(whole).filter((item) => !item.tombstone && isLive(whole, item) && item.last >= low);
  const last = live.at(-1);
  for (const item of live) {
    if (item === last && !isPart(item)) continue;
    world.items = new Map(whole);
    world.items.delete(eventKey(item.seq));
    if (!isReported(world, options))
      throw new Violation(`a replay does not report that ${nameOf(item)} is lost`);
  }
  world.items = whole;
}

/** Whether the first event of an item belongs to a write that began in another. */
function isPart({ seq, rows }) {
  return rows[0].seq === seq && (rows[0].index ?? 0) > 0;
}

function isReported(world, options) {
  try {
    runAlone(world, replay(options));
    return false;
  } catch (error) {
    if (error instanceof Violation) return true;
    throw error;
  }
}
