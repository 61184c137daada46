import { lost } from "./world.mjs";

function keyOf(slice, number) {
  return `page-${slice}-${number}`;
}

/** Reads a page; undefined if it is not there yet. */
export function* pageOf(slice, number) {
  for (;;) {
    const page = yield { get: keyOf(slice, number) };
    if (page !== lost) return page;
  }
}

/** Returns how many pages a slice has. Pages have no holes, and are never removed. */
export function* tailOf(world, slice) {
  for (;;) {
    const count = yield {
      call: () => {
        let pages = 0;
        while (world.items.has(keyOf(slice, pages))) pages++;
        return pages;
      },
    };
    if (count !== lost) return count;
  }
}

/**
 * Appends a page. The condition that no other has its number is the fence against a second sequencer, and assigns the positions. A lost
 * answer is settled by reading that page. Returns whose it is.
 */
export function* append({ world, fault, tails }, slice, page, isSwept) {
  const key = keyOf(slice, tails[slice]);
  const when = fault === "unconditional-page" ? undefined : (item) => item === undefined;
  const put = { key, when, to: () => page };
  // A sweep that another has ended meanwhile must not go on beside the stream.
  const check = { key: "record", when: ({ state }) => state === "sweeping", to: (record) => record };
  const answer = yield { write: isSwept ? [put, check] : [put], loses: true };
  if (answer !== lost) return answer.ok ? "mine" : "others";
  if (fault === "lost-page-is-done") return "mine";
  const stored = yield* pageOf(slice, tails[slice]);
  if (fault === "lost-page-put-again") {
    // Takes it for another's, without a look at what is in it.
    while (world.items.has(keyOf(slice, tails[slice]))) {
      const { first, count, hi } = world.items.get(keyOf(slice, tails[slice]++));
      Object.assign(page, { first: first + count, hi });
    }
    return yield* append({ world, fault: "none", tails }, slice, page, isSwept);
  }
  if (stored === undefined) return yield* append({ world, fault, tails }, slice, page, isSwept);
  return stored.by === page.by ? "mine" : "others";
}
