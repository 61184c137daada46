import { slices } from "./sequencer.mjs";
import { Violation } from "./world.mjs";

/** Holds the feed and the projection against what was committed. */
export class Truth {
  constructor(world, journal) {
    this.world = world;
    this.journal = journal;
    /** How many writes are flagged as late and are still there. */
    this.late = 0;
  }

  pages(slice) {
    const pages = [];
    while (this.world.items.has(`page-${slice}-${pages.length}`))
      pages.push(this.world.items.get(`page-${slice}-${pages.length}`));
    return pages;
  }

  /** The events of a page, one for each position. Nothing is in the feed before it is committed. */
  eventsOf(page) {
    return page.refs.flatMap((ref) => {
      if (!this.journal.committed.some(({ mark }) => mark === ref.mark))
        throw new Violation(`${nameOf(ref)} is in the feed, and is not committed`);
      return Array.from(
        { length: ref.last - ref.first + 1 },
        (_unused, at) => `${ref.mark}/${ref.first + at}`,
      );
    });
  }

  /** The state of a projection is always the fold of the events up to its position. */
  projected(slice) {
    const { pos } = this.world.items.get(`offset-${slice}`);
    const state = this.world.items.get(`state-${slice}`) ?? [];
    const events = this.pages(slice).flatMap((page) => this.eventsOf(page));
    const expected = events.slice(0, pos);
    if (state.length !== expected.length || state.some((event, at) => event !== expected[at]))
      throw new Violation(
        `slice ${slice} at ${pos}: the state is ${state.length} events, not those up to there`,
      );
  }

  /** What must hold at any moment. */
  check() {
    this.late = 0;
    for (let slice = 0; slice < slices; slice++) {
      let next = 0;
      const seen = new Set();
      for (const page of this.pages(slice)) {
        if (page.first !== next) throw new Violation(`slice ${slice}: position ${next} is missing`);
        next += page.count;
        for (const ref of page.refs) {
          if (seen.has(ref.mark)) throw new Violation(`${nameOf(ref)} is in the feed twice`);
          seen.add(ref.mark);
        }
      }
      this.#checkOrder(slice);
    }
  }

  #checkOrder(slice) {
    const last = new Map();
    for (const ref of this.pages(slice).flatMap(({ refs }) => refs)) {
      if (ref.late) {
        if (this.journal.isThere(ref)) this.late++;
        continue;
      }
      const before = last.get(ref.id);
      if (
        before !== undefined &&
        (ref.life < before.life || (ref.life === before.life && ref.first <= before.last))
      )
        throw new Violation(`${nameOf(ref)} follows ${nameOf(before)}, and is not flagged`);
      last.set(ref.id, ref);
    }
  }

  /** Everything that the stream has shown, and everything that is still there, is in the feed. */
  checkComplete() {
    this.check();
    const marks = new Set();
    for (let slice = 0; slice < slices; slice++)
      for (const { refs } of this.pages(slice)) for (const { mark } of refs) marks.add(mark);
    for (const write of this.journal.committed)
      if (!marks.has(write.mark) && (write.streamed || this.journal.isThere(write)))
        throw new Violation(`${nameOf(write)} is not in the feed`);
  }

  checkProjected() {
    for (let slice = 0; slice < slices; slice++) {
      const total = this.pages(slice).reduce((sum, { count }) => sum + count, 0);
      const pos = this.world.items.get(`offset-${slice}`)?.pos ?? 0;
      if (pos !== total) throw new Violation(`slice ${slice}: the projection stops at ${pos} of ${total}`);
      if (total > 0) this.projected(slice);
    }
  }
}

function nameOf({ id, life, first, last, mark }) {
  return `${id} ${first}..${last} of life ${life} (${mark})`;
}
