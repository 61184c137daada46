import { Violation } from "../feed/world.mjs";

export const slices = 2;
export const versions = [1, 2];
const ids = [
  ["a", "b", "c"],
  ["d", "e"],
];

export const keys = {
  version: (v) => `version-${v}`,
  slice: (v, s) => `slice-${v}-${s}`,
  state: (v, s) => `state-${v}-${s}`,
  gone: (v, s) => `gone-${v}-${s}`,
  parked: (v, s, offset) => `parked-${v}-${s}-${offset}`,
};

/** The feed, and what the state of a projection must be. */
export class Truth {
  /** The events of each slice, in order. */
  feed = [[], []];
  /** Versions for which a pause has returned. */
  paused = new Set();
  /** How often versions were moved back. */
  rewinds = 0;
  #world;
  #applied = new Map();
  #isHealed = false;

  constructor(world) {
    this.#world = world;
  }

  append() {
    const slice = this.#world.below(slices);
    const id = this.#world.pick(ids[slice]);
    const sequence = this.feed[slice].filter((event) => event.id === id).length + 1;
    const isPoison = this.#world.chance(0.08);
    this.feed[slice].push({
      id,
      sequence,
      offset: this.feed[slice].length,
      isPoison,
      name: `${id}${sequence}`,
    });
  }

  heal() {
    this.#isHealed = true;
  }

  /** Whether the handler fails. Some events fail now and then. */
  fails(event) {
    if (this.#isHealed) return false;
    return event.isPoison ? this.#world.chance(0.9) : this.#world.chance(0.01);
  }

  rowsOf(v, s) {
    return this.feed[s]
      .map(({ offset }) => this.#world.items.get(keys.parked(v, s, offset)))
      .filter((row) => row !== undefined);
  }

  check() {
    for (const v of versions) for (let s = 0; s < slices; s++) this.#checkSlice(v, s);
  }

  #checkSlice(v, s) {
    const { offset } = this.#world.items.get(keys.slice(v, s));
    const state = this.#world.items.get(keys.state(v, s)) ?? [];
    const where = `version ${v}, slice ${s} at ${offset}`;
    const name = `${v}-${s}`;
    const before = this.#applied.get(name) ?? { length: 0, offset: 0 };
    if (this.paused.has(v) && (state.length !== before.length || offset > before.offset))
      throw new Violation(`${where}: moved while paused`);
    this.#applied.set(name, { length: state.length, offset });
    const gone = this.#world.items.get(keys.gone(v, s)) ?? [];
    const rows = this.rowsOf(v, s).map((row) => row.offset);
    const expected = this.feed[s]
      .slice(0, offset)
      .filter((event) => !gone.includes(event.offset) && !rows.includes(event.offset));
    if (new Set(state).size !== state.length) throw new Violation(`${where}: ${state} has an event twice`);
    const wrong = expected.find((event) => !state.includes(event.offset));
    if (wrong !== undefined) throw new Violation(`${where}: ${wrong.name} is not applied`);
    if (state.length !== expected.length)
      throw new Violation(`${where}: ${state} has more than the events up to there`);
    this.#checkOrder(where, s, state);
  }

  #checkOrder(where, s, state) {
    const last = new Map();
    for (const offset of state) {
      const { id, name } = this.feed[s][offset];
      if ((last.get(id) ?? -1) > offset)
        throw new Violation(`${where}: ${name} is applied after a later one of its id`);
      last.set(id, offset);
    }
  }

  /** Everything is applied, and nothing is parked. */
  get isComplete() {
    return versions.every((v) =>
      this.feed.every(
        ({ length }, s) =>
          this.#world.items.get(keys.slice(v, s)).offset === length && this.rowsOf(v, s).length === 0,
      ),
    );
  }
}
