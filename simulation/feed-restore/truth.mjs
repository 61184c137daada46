import { Violation } from "../feed/world.mjs";

export const slices = 2;

export function pageKey(slice, number) {
  return `page-${slice}-${number}`;
}

/** What the journal and the feed have, whatever processes believe. */
export class Truth {
  restores = 0;
  noticed = 0;
  #world;
  #snapshots = [];

  constructor(world) {
    this.#world = world;
    for (let slice = 0; slice < slices; slice++) world.items.set(`journal-${slice}`, []);
    this.keep();
  }

  append() {
    const key = `journal-${this.#world.below(slices)}`;
    this.#world.items.set(key, [...this.#world.items.get(key), this.#world.newId("e")]);
  }

  /** Remembers the table as it is, to be restored later. */
  keep() {
    const isOfTable = ([key]) => key.startsWith("page-") || key.startsWith("journal-");
    this.#snapshots.push([...this.#world.items].filter(isOfTable));
  }

  /** Replaces the table by an earlier state of it. */
  restore() {
    const at = this.#world.below(this.#snapshots.length);
    this.#world.say("restore", at);
    this.#snapshots.length = at + 1;
    for (const key of [...this.#world.items.keys()])
      if (key.startsWith("page-")) this.#world.items.delete(key);
    for (const [key, item] of this.#snapshots[at]) this.#world.items.set(key, item);
    this.restores++;
  }

  /** The events of a slice that are in pages. */
  fed(slice) {
    const events = [];
    for (let number = 0; ; number++) {
      const page = this.#world.items.get(pageKey(slice, number));
      if (page === undefined) return events;
      events.push(...page.events);
    }
  }

  isRight(slice, events) {
    const fed = this.fed(slice);
    return events.every((event, at) => fed[at] === event);
  }

  /** Reads a page, for somebody that has these events before it. `right`, for the model to judge by: whether the feed has them at that moment. */
  read(slice, number, events) {
    const page = this.#world.items.get(pageKey(slice, number));
    return { page, right: this.isRight(slice, events), fed: this.fed(slice) };
  }

  /** Somebody goes on with a page that it has read. */
  goesOn(who, slice, events, { right, fed }) {
    if (!right)
      throw new Violation(`${who} has ${events} of slice ${slice}, whose feed has ${fed}, and goes on`);
  }

  /** Somebody does not go on from its cursors. The same events in other pages may be rejected, the same pages may not. */
  rejects(who, cursors) {
    this.noticed++;
    this.#world.say(who, "is rejected");
    const isThere = ({ slice, number, put }) => this.#world.items.get(pageKey(slice, number))?.put === put;
    if (cursors.every(({ passed }) => passed === undefined || isThere(passed)))
      throw new Violation(`${who} is rejected, although the feed has the pages that it has passed`);
  }
}
