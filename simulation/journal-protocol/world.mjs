import { SeededChance } from "../lib/seeded-chance.mjs";

/** A table and its faults. One seed determines everything that happens. */
export class World extends SeededChance {
  /** Items by key. */
  items = new Map();
  /** The time in ticks; one is six hours. */
  time = 0;
  /** Counts what was written, once for each request. */
  changes = 0;
  /** A readable trace of the walk. */
  trace = [];
  /** Requests whose callers have given up, and that may still land. */
  late = [];
  /** Of items that a transaction in flight has written: what plain reads still show, by key. */
  veils = new Map();
  #sorted = {};

  say(...words) {
    this.trace.push(words.join(" "));
  }

  /**
   * Carries a request out: `{ get: key }`; `{ scan }`, which is a page of a query; `{ list: prefix }`, which returns items by their numbers; `{ keys: prefix }`; `{ together: keys }`, which is a transaction of reads; `{ wait: true }`, in which
   * time whatever is in flight ends; or `{ write: [{ key, when, to }] }`, which is one transaction: `when` is its condition
   * on the existing item, `to` returns the new item, undefined to delete it. Transactions wait for items that
   * another holds; plain reads do not, and see what was there before it.
   */
  execute(request) {
    if (request.wait) return this.veils.clear();
    if (request.get !== undefined) {
      const veil = this.veils.get(request.get);
      return veil === undefined ? this.items.get(request.get) : veil.before;
    }
    if (request.scan !== undefined) return this.#scan(request.scan);
    if (request.list !== undefined) {
      const keys = [...this.items.keys()].filter((key) => key.startsWith(request.list));
      return keys.map((key) => this.items.get(key)).sort((one, other) => one.seq - other.seq);
    }
    if (request.keys !== undefined)
      return [...this.items.keys()].filter((key) => key.startsWith(request.keys));
    if (request.together !== undefined) {
      return request.together.map((key) => {
        this.veils.delete(key);
        return this.items.get(key);
      });
    }
    for (const { key } of request.write) this.veils.delete(key);
    for (const { key, when } of request.write) {
      const item = this.items.get(key);
      if (when !== undefined && !when(item)) return { refused: key, item };
    }
    this.changes++;
    for (const { key, to } of request.write) {
      const item = to(this.items.get(key));
      if (item === undefined) this.items.delete(key);
      else this.items.set(key, item);
    }
    return { ok: true };
  }

  /** At most `limit` items in the order of their places, as plain reads see them. `place` returns that of a key. */
  #scan({ place, from, to, reverse, limit }) {
    const found = [];
    const keys = this.#keysByPlace(place);
    for (let at = 0; at < keys.length && found.length < limit; at++) {
      const key = keys[reverse ? keys.length - 1 - at : at];
      if (place(key) < from || place(key) > to) continue;
      const item = this.execute({ get: key });
      if (item !== undefined) found.push({ key, at: place(key), item });
    }
    return found;
  }

  /** Sorted again only after a change. */
  #keysByPlace(place) {
    const { items, changes } = this;
    if (this.#sorted.items === items && this.#sorted.changes === changes) return this.#sorted.keys;
    const keys = [...new Set([...items.keys(), ...this.veils.keys()])];
    keys.sort((one, other) => place(one) - place(other));
    this.#sorted = { items, changes, keys };
    return keys;
  }

  /** Carries a transaction out whose items become visible one by one. Returns its answer, and the veils that are to go. */
  begin(request) {
    const before = request.write.map(({ key }) => ({ key, before: this.items.get(key) }));
    const answer = this.execute(request);
    if (!answer.ok || before.length === 1) return { answer, veils: [] };
    for (const veil of before) this.veils.set(veil.key, veil);
    return { answer, veils: before };
  }

  /** One of these items becomes visible. False if all are. */
  showOne(veils) {
    const left = veils.filter((veil) => this.veils.get(veil.key) === veil);
    if (left.length === 0) return false;
    const { key } = this.pick(left);
    this.veils.delete(key);
    this.say(key, "becomes visible");
    return true;
  }

  /** Lets six hours go by. Requests do not outlive them. Where expiry is on, items go whose time is over. */
  tick(expires) {
    for (const request of this.late.splice(0)) if (this.chance(0.5)) this.execute(request);
    this.veils.clear();
    this.time++;
    this.changes++;
    if (expires) {
      for (const [key, { expiry }] of this.items) {
        if (expiry !== undefined && expiry <= this.time) this.items.delete(key);
      }
    }
    this.say("six hours go by: it is", this.time);
  }
}

/** The error that a client gets instead of an answer. */
export const lost = Symbol("the answer is lost");

/** A write request as a client yields it. */
export function write(...actions) {
  return { write: actions.filter(Boolean) };
}

/** Reads are sent again until they are answered. */
export function* read(key) {
  for (;;) {
    const item = yield { get: key };
    if (item !== lost) return item;
  }
}

/** Reads items as of one moment. */
export function* readTogether(...keys) {
  return yield { together: keys };
}

/** Reads the items whose keys begin with a prefix, by their numbers. */
export function* list(prefix) {
  return yield { list: prefix };
}

/** Reads the keys that begin with a prefix. */
export function* listKeys(prefix) {
  return yield { keys: prefix };
}

/** Idempotent requests are sent until they are answered. */
export function* sure(request) {
  while ((yield request) === lost);
}

/** Something that must never happen. */
export class Violation extends Error {}
