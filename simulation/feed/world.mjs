import { SeededChance } from "../lib/seeded-chance.mjs";

/** A table with a feed, and chance. One seed determines everything that happens. */
export class World extends SeededChance {
  /** Items by key. */
  items = new Map();
  /** What items were before their last change: a read that is not consistent may return it. */
  before = new Map();
  /** The time in ticks, by which streams and windows are measured. */
  now = 0;
  /** A readable trace of the walk. */
  trace = [];

  say(...words) {
    this.trace.push(`${this.now}: ${words.join(" ")}`);
  }

  /**
   * Carries a request out: `{ get: key, stale }`; `{ write: [{ key, when, to }] }`, one transaction, where `when` is the condition
   * on the existing item and `to` returns the new one; or `{ call }`, a request to the journal or to the stream.
   */
  execute(request) {
    if (request.call !== undefined) return request.call();
    if (request.get !== undefined) {
      const isStale = request.stale && this.before.has(request.get) && this.chance(0.5);
      return (isStale ? this.before : this.items).get(request.get);
    }
    for (const { key, when } of request.write)
      if (when !== undefined && !when(this.items.get(key))) return { refused: key };
    for (const { key, to } of request.write) {
      this.before.set(key, this.items.get(key));
      this.items.set(key, to(this.items.get(key)));
    }
    request.done?.();
    return { ok: true };
  }
}

/** The error that a client gets instead of an answer. */
export const lost = Symbol("the answer is lost");

/** Something that must never happen. */
export class Violation extends Error {}
